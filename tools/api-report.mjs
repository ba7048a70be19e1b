// Writes the public API of each entry to api/<entry>.d.ts, or with --check fails if it differs from what is there: a
// change of the API has to be seen in review. Made from the declarations in dist/, so build first.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = resolve(root, 'dist/esm');
const isCheck = process.argv.includes('--check');
const { exports: entries } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const files = Object.entries(entries).flatMap(([path, targets]) =>
  targets.import === undefined ? [] : [{ name: path.slice(2) || 'index', file: resolve(root, targets.import.types) }],
);
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

let changed = 0;
for (const { name, file } of files) {
  if (program.getSourceFile(file) === undefined) throw new Error(`${file} does not exist: build first`);
  const output = join(root, 'api', `${name}.d.ts`);
  const report = reportOf(file);
  const before = existsSync(output) ? readFileSync(output, 'utf8') : '';
  if (report === before) continue;
  changed += 1;
  if (!isCheck) {
    mkdirSync(join(root, 'api'), { recursive: true });
    writeFileSync(output, report);
    continue;
  }
  const [old, now] = [new Set(before.split('\n')), new Set(report.split('\n'))];
  console.error(`${relative(root, output)} differs from the build:`);
  for (const line of old) if (!now.has(line)) console.error(`- ${line}`);
  for (const line of now) if (!old.has(line)) console.error(`+ ${line}`);
}
if (isCheck && changed > 0) {
  console.error('If the public API is meant to change: npm run api:update, and say so in a changeset.');
  process.exitCode = 1;
}
