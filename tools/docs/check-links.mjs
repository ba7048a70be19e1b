// Checks the links between pages: every relative link has a target, and every `#anchor` a heading there.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { pages } from './pages.mjs';

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
for (const page of pages) {
  const text = withoutCode(readFileSync(page, 'utf8'));
  for (const [, link] of text.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)) {
    if (/^[a-z]+:/.test(link)) continue;
    count += 1;
    const [path, anchor] = link.split('#');
    const target = path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path)));
    if (!existsSync(target)) problems.push(`${page}: ${link} does not exist`);
    else if (anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor)) {
      problems.push(`${page}: ${link} has no such heading`);
    }
  }
}

for (const problem of problems) console.error(problem);
console.log(`${count} links on ${pages.length} pages, ${problems.length} broken`);
process.exitCode = problems.length > 0 ? 1 : 0;
