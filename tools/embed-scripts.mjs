// Writes scripts.generated.ts from the .lua files of lib/backend, or with --check says whether it is up to date.
// Another folder than the library's may be named: node tools/embed-scripts.mjs [--check] [folder]
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { backend, listScripts, readScript, readShared, ScriptProblem } from './lua-script.mjs';

const check = process.argv.includes('--check');
const named = process.argv.slice(2).find((argument) => !argument.startsWith('--'));
const root = named ?? backend;
const output = join(root, named ? '' : 'scripts', 'scripts.generated.ts');

/** The scripts by the folder that they stand in, which is their kind. */
const kindsOf = (files) => {
  const kinds = new Map();
  for (const file of files) {
    const kind = basename(dirname(file));
    kinds.set(kind, [...(kinds.get(kind) ?? []), file]);
  }
  return [...kinds].toSorted(([a], [b]) => (a < b ? -1 : 1));
};

const camelCase = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
const typeOf = ({ type = 'string', rest }) => (rest ? `readonly ${type}[]` : type);
const field = (entry) => `${entry.name}: ${typeOf(entry)}`;
const fields = (entries) => (entries.length === 0 ? 'Record<string, never>' : `{ ${entries.map(field).join('; ')} }`);
const names = (entries) => JSON.stringify(entries.map(({ name }) => name));
const place = ({ holds, rest }) => JSON.stringify({ holds, ...(rest ? { rest } : {}) });
const shape = ({ places }) => (typeof places === 'string' ? `'${places}'` : `[${places.map(place).join(', ')}]`);
const template = (text) => `\`${text.replace(/[\\`]|\$\{/g, '\\$&')}\``;

/** The shared files that scripts need, each with its name in the output. */
const sharedNames = new Map();

function nameOfShared(file) {
  if (sharedNames.has(file)) return sharedNames.get(file);
  const name = camelCase(basename(file, '.lua'));
  if ([...sharedNames.values()].includes(name))
    throw new ScriptProblem(file, 1, `another shared file is called so, too`);
  sharedNames.set(file, name);
  return name;
}

function renderShared(file) {
  return `/** ${file} */\nconst ${nameOfShared(file)} = ${template(readShared(root, file).text)};`;
}

function renderScript(kind, file) {
  const transition = basename(file, '.lua');
  const name = `${kind}/${transition}`;
  const { purpose, keys, args, replies, grants, parts } = readScript(root, file);
  const pieces = parts.map((part) => (typeof part === 'string' ? template(part) : nameOfShared(part.shared)));
  const text = pieces.length === 1 ? pieces[0] : `[${pieces.join(', ')}].join('\\n')`;
  const reply = replies.map(({ type }) => type).join(' | ');
  return `/** ${purpose.join(' ')} */
    ${camelCase(transition)}: script<${fields(keys)}, ${fields(args)}, ${reply}>({
      name: '${name}', keyNames: ${names(keys)}, argumentNames: ${names(args)},${grants ? ' grants: true,' : ''}
      replies: [${replies.map(shape).join(', ')}], text: ${text},
    }),`;
}

/** All problems at once: every file is read before anything is refused. */
function render() {
  const problems = [];
  const kinds = kindsOf(listScripts(root)).map(([kind, files]) => {
    const scripts = files.map((file) => {
      try {
        return renderScript(kind, file);
      } catch (error) {
        if (!(error instanceof ScriptProblem)) throw error;
        problems.push(error.message);
        return '';
      }
    });
    return `${camelCase(kind)}: { ${scripts.join('\n')} },`;
  });
  if (problems.length > 0) refuse(problems.join('\n'));
  return `// Written by tools/embed-scripts.mjs from the .lua files of lib/backend: edit those, then 'npm run scripts:embed'.
    import { script } from './script.js';
    ${[...sharedNames.keys()]
      .toSorted((a, b) => (a < b ? -1 : 1))
      .map(renderShared)
      .join('\n')}
    export const scripts = { ${kinds.join('\n')} };`;
}

function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const source = render();
const prettier = await import('prettier');
const formatted = await prettier.format(source, {
  ...(await prettier.resolveConfig(fileURLToPath(import.meta.url))),
  parser: 'typescript',
});
const current = existsSync(output) ? readFileSync(output, 'utf8') : undefined;
if (current === formatted) process.exit(0);
if (check) refuse(`${output} is not what its .lua files say: run 'npm run scripts:embed'`);
writeFileSync(output, formatted);
