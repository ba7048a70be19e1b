// Copies files into the pages, behind each `<!-- snippet: <file> -->`: files of docs/snippets, and those of a recipe beside its
// page, which begin with their name. With --check it only compares.
// `npm run docs:check` and `npm run typecheck` compile the files, so what a page shows compiles.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { filesBelow, pages } from './pages.mjs';

const SNIPPETS = 'docs/snippets';
const RECIPES = 'docs/recipes';
const MARKER = /^<!-- snippet: (?<file>\S+) -->\n(?:\n```\w+\n[\s\S]*?\n```\n)?/gm;
const BLOCK =
  /^(?<marker><!-- snippet: \S+ -->\n\n)?(?<indent> *)```(?<language>\w*)\n(?<code>[\s\S]*?)^\k<indent>```$/gm;
/** Lines of TypeScript on a page that no compiler has seen. */
const MOST_LINES = 12;

const isCheck = process.argv.includes('--check');
const problems = [];
const used = new Set();

const blockOf = (page, file) => {
  const isRecipe = dirname(page) === RECIPES;
  const path = join(isRecipe ? RECIPES : SNIPPETS, file);
  used.add(path);
  if (!existsSync(path)) {
    problems.push(`${page} shows ${path}, which does not exist`);
    return '';
  }
  const title = isRecipe ? `// ${file}\n` : '';
  return `\n\`\`\`${extname(file).slice(1)}\n${title}${readFileSync(path, 'utf8').trim()}\n\`\`\`\n`;
};

for (const page of pages) {
  const before = readFileSync(page, 'utf8');
  const after = before.replace(MARKER, (_, file) => `<!-- snippet: ${file} -->\n${blockOf(page, file)}`);
  if (after !== before) {
    if (isCheck) problems.push(`${page} differs from its snippets: run \`npm run docs:embed\``);
    else writeFileSync(page, after);
  }
  for (const { groups } of after.matchAll(BLOCK)) {
    const { marker, language, code } = groups;
    const first = code.split('\n', 1)[0];
    if (language === '') problems.push(`${page}: the block "${first}" names no language`);
    const lines = code.split('\n').length - 1;
    if (language === 'ts' && marker === undefined && lines > MOST_LINES) {
      problems.push(`${page}: the block "${first}" has ${lines} lines: show a file of ${SNIPPETS} instead`);
    }
  }
}

// Tests of snippets are run, not shown.
for (const path of [...filesBelow(SNIPPETS, /\.(?:ts|yaml)$/), ...filesBelow(RECIPES, /\.(?:ts|java)$/)]) {
  if (!used.has(path) && !path.endsWith('spec.ts')) problems.push(`No page shows ${path}`);
}

for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
