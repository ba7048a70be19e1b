// What a release needs of CHANGELOG.md, for the version in package.json.
//   node tools/changelog.mjs date    gives the section that changesets wrote its date and the groups of Keep a Changelog
//   node tools/changelog.mjs notes   prints the dated section, for the message of the tag, or fails without one
// Another folder than the repository may be named behind it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const GROUPS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

const [command, root = fileURLToPath(new URL('..', import.meta.url))] = process.argv.slice(2);
const file = join(root, 'CHANGELOG.md');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const fail = (problem) => {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
};

/** The section whose heading is this text, or begins with it and a space: its heading, its lines, and where it is. */
function findSection(text, start) {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line === start || line.startsWith(`${start} `));
  if (from === -1) return undefined;
  const length = lines.slice(from + 1).findIndex((line) => line.startsWith('## '));
  const to = length === -1 ? lines.length : from + 1 + length;
  return { heading: lines[from], body: lines.slice(from + 1, to), from, to, lines };
}

/** The entries of a list, each with its paragraphs: the lines that are indented below it. */
function entriesOf(lines) {
  const entries = [];
  for (const line of lines) {
    if (line.startsWith('- ')) entries.push(line.slice(2).replace(/^[0-9a-f]{7,40}: /, ''));
    else if (/^(?:$| {2})/.test(line) && entries.length > 0) entries.push(`${entries.pop()}\n${line}`);
    else if (line !== '' && !line.startsWith('### ')) fail(`This is no entry of a list: ${line}`);
  }
  return entries.map((entry) => entry.trimEnd());
}

function group(entries) {
  const found = new Map(GROUPS.map((name) => [name, []]));
  for (const entry of entries) {
    const [, name, text] = /^(\w+): ([^]+)$/.exec(entry) ?? [];
    if (!found.has(name)) fail(`An entry begins with one of ${GROUPS.join(', ')}, and a colon: ${entry}`);
    found.get(name).push(`- ${text[0].toUpperCase()}${text.slice(1)}`);
  }
  return GROUPS.filter((name) => found.get(name).length > 0).flatMap((name) => [
    `### ${name}`,
    '',
    ...found.get(name),
    '',
  ]);
}

const text = readFileSync(file, 'utf8');
if (command === 'date') {
  const section = findSection(text, `## ${version}`) ?? fail(`CHANGELOG.md has no section "## ${version}"`);
  const { body, from, to, lines } = section;
  const today = new Date().toISOString().slice(0, 10);
  const dated = [`## [${version}] - ${today}`, '', ...group(entriesOf(body))];
  writeFileSync(file, [...lines.slice(0, from), ...dated, ...lines.slice(to)].join('\n'));
} else if (command === 'notes') {
  const section = findSection(text, `## [${version}]`);
  if (!section || !/ - \d{4}-\d{2}-\d{2}$/.test(section.heading))
    fail(`CHANGELOG.md has no section "## [${version}] - <date>"`);
  process.stdout.write(`${section.body.join('\n').trim()}\n`);
} else {
  fail('Give a command: date or notes');
}
