// Copies docs/snippets/<file> into the pages, behind each `<!-- snippet: <file> -->`. With --check it only compares.
// The files are compiled by `npm run docs:check`, so what a page shows compiles.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { filesBelow, pages } from './pages.mjs';

const SNIPPETS = 'docs/snippets';
const MARKER = /^<!-- snippet: (?<file>\S+) -->\n(?:\n```\w+\n[\s\S]*?\n```\n)?/gm;
const isCheck = process.argv.includes('--check');
const problems = [];
const used = new Set();

const blockOf = (page, file) => {
  const path = join(SNIPPETS, file);
  used.add(path);
  if (!existsSync(path)) {
    problems.push(`${page} shows ${path}, which does not exist`);
    return '';
  }
  return `\n\`\`\`${extname(file).slice(1)}\n${readFileSync(path, 'utf8').trim()}\n\`\`\`\n`;
};

for (const page of pages) {
  const before = readFileSync(page, 'utf8');
  const after = before.replace(MARKER, (_, file) => `<!-- snippet: ${file} -->\n${blockOf(page, file)}`);
  if (after === before) continue;
  if (isCheck) problems.push(`${page} differs from its snippets: run \`npm run docs:embed\``);
  else writeFileSync(page, after);
}

// Tests of snippets are run, not shown.
for (const path of filesBelow(SNIPPETS, /\.(?:ts|yaml)$/)) {
  if (!used.has(path) && !path.endsWith('spec.ts')) problems.push(`No page shows ${path}`);
}

for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
