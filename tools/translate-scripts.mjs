// Writes lib/backend/memory/scripts.generated.ts: the scripts of locks as JavaScript, for locks in memory; each shared file
// once. With --check says whether it is up to date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { backend as root, listScripts, readScript, readShared, ScriptProblem } from './lua-script.mjs';
import { translateScript, translateShared } from './lua-to-js.mjs';

const check = process.argv.includes('--check');
const output = fileURLToPath(new URL('../lib/backend/memory/scripts.generated.ts', import.meta.url));

const refuse = (message) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
};

// The probe asks a server what it is.
const scripts = listScripts(root).filter((file) => !file.startsWith('probe/'));

/** The names of each shared file in JavaScript, by those in Lua. */
const shared = new Map();
const taken = new Set();
const declarations = [];

const refusing = (file) => (message) => {
  throw new ScriptProblem(file, 1, `${message}: not of the Lua that tools/lua-to-js.mjs translates`);
};

const namesOf = (files) => files.flatMap((file) => [...shared.get(file)]);

const need = (file) => {
  if (shared.has(file)) return;
  const { text, shared: others } = readShared(root, file);
  others.forEach(need);
  const { code, names } = translateShared(text, namesOf(others), taken, refusing(file));
  for (const name of names.values()) taken.add(name);
  shared.set(file, names);
  declarations.push(`// ${file}${code}`);
};

const problems = [];
const functions = scripts.map((file) => {
  try {
    const { own, shared: files } = readScript(root, file);
    files.forEach(need);
    return `'${basename(dirname(file))}/${basename(file, '.lua')}': ${translateScript(own, namesOf(files), refusing(file))},`;
  } catch (error) {
    if (!(error instanceof ScriptProblem)) throw error;
    problems.push(error.message);
    return '';
  }
});
if (problems.length > 0) refuse(problems.join('\n'));

const source = `// @ts-nocheck Written by tools/translate-scripts.mjs from the .lua files: edit those, then 'npm run scripts:embed'.
import * as L from './lua.js';

${declarations.join('\n\n')}

export const translated: Readonly<Record<string, L.TranslatedScript>> = {
${functions.join('\n')}
};
`;
const prettier = await import('prettier');
const formatted = await prettier.format(source, {
  ...(await prettier.resolveConfig(fileURLToPath(import.meta.url))),
  parser: 'typescript',
});
const current = existsSync(output) ? readFileSync(output, 'utf8') : undefined;
if (current === formatted) process.exit(0);
if (check) refuse(`${output} is not what the .lua files say: run 'npm run scripts:embed'`);
writeFileSync(output, formatted);
