// Reads one .lua file: its header says what the script is called with and what it answers, the rest is its body.
// The body names its keys and arguments; where they stand in KEYS and ARGV is decided here and nowhere else.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the library's scripts. */
export const backend = fileURLToPath(new URL('../lib/backend', import.meta.url));

/** The .lua files below a folder, except those in folders called `shared`, which scripts include. */
export const listScripts = (root) =>
  readdirSync(root, { recursive: true })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.lua') && basename(dirname(file)) !== 'shared')
    .toSorted((a, b) => (a < b ? -1 : 1));

const NAME = /^[a-z][A-Za-z0-9]*$/;
/** A reply of one word, which is sent and read faster than a tuple. */
const WORD = /^'([a-z-]+)'$/;
const RESERVED = new Set(
  (
    'and break do else elseif end false for function if in local nil not or repeat return then true until while ' +
    'redis cjson cmsgpack bit struct math string table type tonumber tostring ipairs pairs unpack'
  ).split(' '),
);

/** @typedef {{ name: string, type?: string, rest: boolean, line: number }} Declared A key or an argument. */

/**
 * @typedef {{ holds: 'number' | 'time' | 'string' | string[], rest: boolean }} Place One place of a reply, or all that are
 *   left. `time`: the number called `now`, which is the server's time.
 */

/** @typedef {{ type: string, places: Place[] | string }} Reply One of the shapes that a reply may have: what a tuple is made of, or a word. */

/** What is wrong with a file, and in which line. */
export class ScriptProblem extends Error {
  constructor(file, line, message) {
    super(`${file}:${line}: ${message}`);
  }
}

/**
 * Reads `<root>/<file>`.
 * @returns {{ purpose: string[], keys: Declared[], args: Declared[], replies: Reply[], grants: boolean,
 *   parts: (string | { shared: string })[], own: string, shared: string[] }} `parts`: its text, and the shared files in it;
 *   `own`: the text without them.
 */
export function readScript(root, file) {
  const lines = readLines(root, file);
  const { header, body } = splitHeader(lines);
  /** @type {{ purpose: string[], keys: Declared[], args: Declared[], replies: Reply[], grants: boolean, includes: object[] }} */
  const script = { purpose: [], keys: [], args: [], replies: [], grants: false, includes: [] };
  for (const entry of joinContinued(header)) readEntry(script, entry, (message) => fail(file, entry.line, message));

  if (script.purpose.length === 0) fail(file, 1, 'the header does not say what the script is for');
  if (script.replies.length === 0) fail(file, 1, "the header has no 'reply' line");
  const code = codeOf(file, body);
  for (const { name, line } of [...script.keys, ...script.args]) {
    const uses = new RegExp(`\\b${name}\\b`);
    if (!code.some((each) => uses.test(each.bare))) fail(file, line, `'${name}' is declared and never used`);
  }
  const included = new Map();
  /** A shared file and those that it includes, unless they are in the script already. */
  const filesOf = ({ path, line }) => {
    const { size } = included;
    include(root, path, { file, line }, [file], included);
    return [...included.keys()].slice(size).map((shared) => ({ shared }));
  };
  const named = prelude(script);
  const parts = joined([
    ...named,
    ...script.includes.flatMap(filesOf),
    ...code.flatMap((each) => (each.include ? filesOf(each.include) : [each.text])),
  ]);
  const own = [...named, ...code.filter((each) => !each.include).map((each) => each.text)].join('\n');
  const { purpose, keys, args, replies, grants } = script;
  return { purpose, keys, args, replies, grants, parts, own, shared: [...included.keys()] };
}

/** Lines that follow each other are one text. */
function joined(lines) {
  const parts = [];
  for (const line of lines) {
    if (typeof line === 'string' && typeof parts.at(-1) === 'string') parts.push(`${parts.pop()}\n${line}`);
    else parts.push(line);
  }
  return parts;
}

/** Reads a shared file: its text, and the other shared files that it includes, directly or not. */
export function readShared(root, path) {
  const included = new Map();
  include(root, path, { file: path, line: 1 }, [], included);
  const text = included.get(path).join('\n');
  return { text, shared: [...included.keys()].filter((other) => other !== path) };
}

function fail(file, line, message) {
  throw new ScriptProblem(file, line, message);
}

/** Lines with their numbers, so that a problem can be pointed at. */
function readLines(root, file) {
  const lines = readFileSync(join(root, file), 'utf8').split(/\r?\n/);
  return lines.map((text, index) => ({ text: text.trimEnd(), line: index + 1 }));
}

function splitHeader(lines) {
  const end = lines.findIndex(({ text }) => !text.startsWith('---'));
  const count = end === -1 ? lines.length : end;
  return { header: lines.slice(0, count), body: lines.slice(count) };
}

/** A line that is indented belongs to the one above it. */
function joinContinued(header) {
  const entries = [];
  for (const { text, line } of header) {
    const content = text.slice(3);
    const last = entries.at(-1);
    if (last && /^\s{3,}\S/.test(content)) last.text += ` ${content.trim()}`;
    else if (content.trim() !== '') entries.push({ text: content.trim(), line });
  }
  return entries;
}

function readEntry(script, { text, line }, refuse) {
  const [, word, rest] = /^(\S+)\s*(.*)$/.exec(text);
  switch (word) {
    case 'key':
    case 'keys':
      return addName(script, script.keys, { name: rest, rest: word === 'keys', line }, refuse);
    case 'arg':
    case 'args': {
      const [, name, type] = /^([^\s:]+): (string|number)$/.exec(rest) ?? [];
      if (name === undefined) refuse(`'${text}' is not of the form '${word} name: string' or '${word} name: number'`);
      return addName(script, script.args, { name, type, rest: word === 'args', line }, refuse);
    }
    case 'reply': {
      const [, done] = WORD.exec(rest) ?? [];
      if (done !== undefined) return void script.replies.push({ type: rest, places: done });
      if (!/^\[.*\]$/.test(rest)) refuse("the reply is neither a tuple, [outcome: string, …], nor a word, 'done'");
      script.replies.push({ type: rest, places: placesOf(rest.slice(1, -1), refuse) });
      return undefined;
    }
    case 'grants':
      if (rest !== '') refuse(`'${rest}' behind 'grants', which stands alone`);
      script.grants = true;
      return undefined;
    case 'include':
      script.includes.push({ path: rest, line });
      return undefined;
    case 'invariant':
      if (rest === '') refuse('an invariant that says nothing');
      return undefined;
    default:
      if (script.keys.length + script.args.length + script.includes.length + script.replies.length > 0) {
        refuse(`'${word}' is not a word of the header: key, keys, arg, args, reply, grants, invariant, include`);
      }
      script.purpose.push(text);
      return undefined;
  }
}

/** What a reply is made of, so that one of another shape can be told from it. */
function placesOf(tuple, refuse) {
  const places = tuple.split(',').map((place) => {
    const [, dots, name, type, list] = /^(\.\.\.)?([a-z]\w*): ([^[\]]+)(\[\])?$/.exec(place.trim()) ?? [];
    const texts = type?.split('|').map((text) => /^'([^']*)'$/.exec(text.trim())?.[1]);
    const holds = type === 'number' || type === 'string' ? type : texts;
    if (holds === undefined || holds.includes(undefined) || (dots === undefined) !== (list === undefined)) {
      refuse(`'${place.trim()}' is not a number, a string or texts such as 'done' | 'late', with a name in front`);
    }
    return { holds: name === 'now' && type === 'number' ? 'time' : holds, rest: dots !== undefined };
  });
  if (places.slice(0, -1).some(({ rest }) => rest)) refuse('a list in a reply takes all that are left, and comes last');
  return places;
}

function addName(script, list, entry, refuse) {
  const { name } = entry;
  if (!NAME.test(name) || RESERVED.has(name)) refuse(`'${name}' cannot be the name of a local in Lua and TypeScript`);
  if ([...script.keys, ...script.args].some((other) => other.name === name)) refuse(`'${name}' is declared twice`);
  if (list.at(-1)?.rest) refuse(`'${name}' comes after '${list.at(-1).name}', which takes all that are left`);
  if (entry.rest && list === script.keys && list.length > 0) refuse(`'keys ${name}' cannot stand beside single keys`);
  list.push(entry);
}

/**
 * The lines that are code: as they are, and bare of strings and comments to search in. An include among them is needed
 * only by the lines below it: a function costs time even if it is not called.
 */
function codeOf(file, lines) {
  const code = [];
  for (const { text, line } of lines) {
    const [, path] = /^--- include (\S+)$/.exec(text) ?? [];
    if (path !== undefined) {
      code.push({ include: { path, line }, bare: '' });
      continue;
    }
    if (/--\[=*\[/.test(text)) fail(file, line, 'a block comment; use lines that start with --');
    if (text.trim() === '' || text.trimStart().startsWith('--')) continue;
    const bare = text.replace(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/g, "''").replace(/--.*$/, '');
    const positional = /\b(KEYS|ARGV)\b/.exec(bare);
    if (positional) fail(file, line, `${positional[1]} in the body; declare the name in the header and use that`);
    code.push({ text, bare });
  }
  return code;
}

function include(root, path, from, stack, included) {
  if (stack.includes(path)) fail(from.file, from.line, `a circle of includes: ${[...stack, path].join(' > ')}`);
  if (included.has(path)) return;
  if (!existsSync(join(root, path))) fail(from.file, from.line, `'${path}' does not exist`);
  const { header, body } = splitHeader(readLines(root, path));
  for (const { text, line } of joinContinued(header)) {
    const [, next] = /^include (\S+)$/.exec(text) ?? [];
    if (next !== undefined) include(root, next, { file: path, line }, [...stack, path], included);
  }
  const code = codeOf(path, body);
  const below = code.find((each) => each.include)?.include;
  if (below) fail(path, below.line, 'an include below the header of a shared file');
  included.set(
    path,
    code.map((each) => each.text),
  );
}

/** Names instead of positions. A number that is none ends the script here, before it has written anything. */
function prelude({ keys, args }) {
  const lines = keys.map(({ name, rest }, index) => `local ${name} = ${rest ? 'KEYS' : `KEYS[${index + 1}]`}`);
  for (const [index, { name, type, rest }] of args.entries()) {
    const position = index + 1;
    const element = `${name}[${index === 0 ? 'i' : `i - ${index}`}]`;
    // A loop, because unpack() gives up on some thousands of values.
    if (rest) lines.push(`local ${name} = {}`, `for i = ${position}, #ARGV do`);
    const source = rest ? 'ARGV[i]' : `ARGV[${position}]`;
    const target = rest ? `  ${element}` : `local ${name}`;
    lines.push(`${target} = ${type === 'number' ? `tonumber(${source})` : source}`);
    if (type === 'number') {
      const check = rest ? `  if not ${element}` : `if not ${name}`;
      lines.push(`${check} then return redis.error_reply('ERR argument ${name} is not a number') end`);
    }
    if (rest) lines.push('end');
  }
  return lines;
}
