// Writes the public API of each entry to api/<entry>.d.ts, or with --check fails if it differs from what is there: a
// change of the API has to be seen in review. Made from the declarations in dist/, so build first.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = resolve(root, 'dist/esm');
const isCheck = process.argv.includes('--check');
const { exports: targets } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const integrations = readdirSync(join(dist, 'integrations')).filter((name) =>
  existsSync(join(dist, 'integrations', name, 'index.d.ts')),
);
/** The entries: those that have an export, and each folder of the pattern. */
const files = Object.entries(targets).flatMap(([path, { import: target }]) => {
  if (target === undefined) return [];
  const names = path === './*' ? integrations : [path.slice(2)];
  return names.map((name) => ({ name: name || 'index', file: resolve(root, target.types.replace('*', name)) }));
});
const program = ts.createProgram(
  files.map(({ file }) => file),
  { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, skipLibCheck: true },
);
const checker = program.getTypeChecker();
const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });

const actual = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
const isOurs = (declaration) => declaration.getSourceFile().fileName.startsWith(dist);
const isPrivate = (member) =>
  (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) !== 0 ||
  (member.name !== undefined && ts.isPrivateIdentifier(member.name));

/** The statement that declares a variable, and any other declaration itself. */
const statementOf = (declaration) => (ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration);

const withoutPrivate = (node) =>
  ts.isClassDeclaration(node)
    ? ts.factory.updateClassDeclaration(
        node,
        node.modifiers,
        node.name,
        node.typeParameters,
        node.heritageClauses,
        node.members.filter((member) => !isPrivate(member)),
      )
    : node;

/** Symbols of this package that a declaration names. */
const namedIn = (declaration) => {
  const found = [];
  const visit = (node) => {
    if (ts.isClassElement(node) && isPrivate(node)) return;
    const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
    if (symbol !== undefined) found.push(actual(symbol));
    ts.forEachChild(node, visit);
  };
  visit(declaration);
  return found.filter(
    ({ declarations = [], parent }) => declarations.some(isOurs) && parent?.valueDeclaration !== undefined,
  );
};

const reportOf = (file) => {
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
  const names = new Map(exported.map((symbol) => [actual(symbol), symbol.name]));
  const seen = new Set();
  const queue = [...names.keys()];
  const blocks = [];
  for (let symbol = queue.shift(); symbol !== undefined; symbol = queue.shift()) {
    if (seen.has(symbol)) continue;
    seen.add(symbol);
    const declarations = (symbol.declarations ?? []).filter(isOurs).map(statementOf);
    if (declarations.length === 0 || declarations.some((node) => ts.isSourceFile(node))) continue;
    const texts = declarations.map((node) =>
      printer.printNode(ts.EmitHint.Unspecified, withoutPrivate(node), node.getSourceFile()),
    );
    const title = names.has(symbol) ? '' : '// not exported\n';
    blocks.push([names.get(symbol) ?? symbol.name, title + [...new Set(texts)].join('\n')]);
    queue.push(...declarations.flatMap(namedIn));
  }
  return `${blocks
    .toSorted(([one, a], [other, b]) => (one === other ? a.localeCompare(b) : one < other ? -1 : 1))
    .map(([, text]) => text)
    .join('\n\n')}\n`;
};

const folder = join(root, 'api');
const reports = new Map(
  files.map(({ name, file }) => {
    if (program.getSourceFile(file) === undefined) throw new Error(`${file} does not exist: build first`);
    return [`${name}.d.ts`, reportOf(file)];
  }),
);
mkdirSync(folder, { recursive: true });
const stored = readdirSync(folder);
const before = (name) => (stored.includes(name) ? readFileSync(join(folder, name), 'utf8') : '');
// An entry that is gone has no report any more.
const changed = [...new Set([...stored, ...reports.keys()])].filter((name) => before(name) !== reports.get(name));

for (const name of changed) {
  const path = join(folder, name);
  const report = reports.get(name);
  if (isCheck) {
    const place = mkdtempSync(join(tmpdir(), 'api-'));
    writeFileSync(join(place, name), report ?? '');
    console.error(`${relative(root, path)} differs from the build:`);
    const old = existsSync(path) ? path : '/dev/null';
    spawnSync('git', ['--no-pager', 'diff', '--no-index', old, join(place, name)], { stdio: ['ignore', 2, 2] });
    rmSync(place, { recursive: true });
  } else if (report === undefined) rmSync(path);
  else writeFileSync(path, report);
}
if (isCheck && changed.length > 0) {
  console.error('If the public API is meant to change: npm run api:update, and say so in a changeset.');
  process.exitCode = 1;
}
