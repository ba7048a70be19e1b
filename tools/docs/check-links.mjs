// Checks the links between pages, and from the code to pages: each has a target, and every `#anchor` a heading there.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { filesBelow, pages } from './pages.mjs';

const withoutCode = (text) => text.replace(/^(```+)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, 'code');

/** As the site and the usual hosts make them. */
const slugOf = (heading) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

const anchorsOf = (page) => {
  const text = readFileSync(page, 'utf8').replace(/^(```+)[\s\S]*?^\1/gm, '');
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => slugOf(heading));
  const named = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id);
  return new Set([...headings, ...named]);
};

const problems = [];
let count = 0;

/** @param link Relative to the folder `from`. */
const check = (file, link, from) => {
  count += 1;
  const [path, anchor] = link.split('#');
  const target = path === '' ? file : normalize(join(from, decodeURIComponent(path)));
  if (!existsSync(target)) problems.push(`${file}: ${link} does not exist`);
  else if (anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor)) {
    problems.push(`${file}: ${link} has no such heading`);
  }
};

for (const page of pages) {
  const text = withoutCode(readFileSync(page, 'utf8'));
  for (const [, link] of text.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)) {
    if (!/^[a-z]+:/.test(link)) check(page, link, dirname(page));
  }
}
// Comments and messages name pages by their path in the repository.
for (const file of filesBelow('lib', /\.(?:ts|lua)$/)) {
  for (const [link] of readFileSync(file, 'utf8').matchAll(/\bdocs\/[\w/-]+\.md(?:#[\w-]+)?/g)) check(file, link, '.');
}

for (const problem of problems) console.error(problem);
console.log(`${count} links on ${pages.length} pages, ${problems.length} broken`);
process.exitCode = problems.length > 0 ? 1 : 0;
