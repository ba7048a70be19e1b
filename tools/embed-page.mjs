// Puts the page of the dashboard, with its styles and scripts, into one TypeScript file, so that the package has no file
// to find at run time. Scripts and styles are inline and known by their hashes to the page's Content-Security-Policy.
//   node tools/embed-page.mjs            writes page.generated.ts
//   node tools/embed-page.mjs --check    fails if it is out of date
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const check = process.argv.includes('--check');
const named = process.argv.slice(2).find((argument) => !argument.startsWith('--'));
const root = named ?? fileURLToPath(new URL('../lib/integrations/dashboard', import.meta.url));
const output = join(root, 'page.generated.ts');

/** Stands in the page for a token that each answer has of its own. */
const TOKEN_MARK = 'TOKEN-OF-THE-PAGE';

const STYLE = '<link rel="stylesheet" href="page.css" />';
const SCRIPT = '<script type="module" src="main.js"></script>';

async function bundle(file) {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'page', file)],
    bundle: true,
    minify: true,
    write: false,
    charset: 'ascii',
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'error',
  });
  return outputFiles[0].text.trim();
}

const hashOf = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

/** The part of the page between the tags is what the browser hashes. */
function replaceOnce(page, mark, text) {
  if (page.split(mark).length !== 2) refuse(`page/index.html must contain ${mark} once`);
  return page.replace(mark, () => text);
}

function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const [style, script] = await Promise.all([bundle('page.css'), bundle('main.js')]);
let html = readFileSync(join(root, 'page/index.html'), 'utf8').replace(/\n\s+/g, '\n');
html = replaceOnce(html, STYLE, `<style>${style}</style>`);
html = replaceOnce(html, SCRIPT, `<script type="module">${script}</script>`);
if (html.split(TOKEN_MARK).length !== 2) refuse(`page/index.html must contain ${TOKEN_MARK} once`);

const source = `// Written by tools/embed-page.mjs from the files in page/: edit those, then 'npm run page:embed'.

/** The page, with the hashes of its script and its style for the Content-Security-Policy. */
export const PAGE = {
  tokenMark: ${JSON.stringify(TOKEN_MARK)},
  scriptHash: ${JSON.stringify(hashOf(script))},
  styleHash: ${JSON.stringify(hashOf(style))},
  html: ${JSON.stringify(html)},
};
`;
const prettier = await import('prettier');
const formatted = await prettier.format(source, {
  ...(await prettier.resolveConfig(fileURLToPath(import.meta.url))),
  parser: 'typescript',
});
const current = existsSync(output) ? readFileSync(output, 'utf8') : undefined;
if (current === formatted) process.exit(0);
if (check) refuse(`${output} is not what the files in page/ say: run 'npm run page:embed'`);
writeFileSync(output, formatted);
