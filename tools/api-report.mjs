// Writes the public API of each entry to api/<entry>.d.ts, or with --check fails if it differs from what is there: a
// change of the API has to be seen in review. Made from the declarations in dist/build, so build first. Each declaration is
// in one report: that of the first entry that exports it, or else of the first that needs it. The others import it from
// there, and all of them have to compile.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { entries as paths } from './entries.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiled = resolve(root, 'dist/build');
const isCheck = process.argv.includes('--check');
const options = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  types: ['node'],
  strict: true,
  noEmit: true,
};

const entries = Object.entries(paths).map(([name, path]) => ({ name, file: join(compiled, `${path}.d.ts`) }));
const program = ts.createProgram(
  entries.map(({ file }) => file),
  options,
);
const checker = program.getTypeChecker();
const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });

const actual = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);

/** The statement that declares a variable, and any other declaration itself. */
const statementOf = (declaration) => (ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration);

/** The statements of this package that declare a symbol: none for members, parameters and what others declare. */
const statementsOf = ({ declarations = [] }) =>
  declarations
    .map(statementOf)
    .filter(({ parent }) => parent && ts.isSourceFile(parent) && parent.fileName.startsWith(compiled));

const isPrivate = (member) =>
  ts.isClassElement(member) &&
  ((ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) !== 0 ||
    (member.name !== undefined && ts.isPrivateIdentifier(member.name)));

const exportsOf = ({ file }) => {
  const source = program.getSourceFile(file);
  if (source === undefined) throw new Error(`${file} does not exist: build first`);
  return checker.getExportsOfModule(checker.getSymbolAtLocation(source));
};

/** The report that declares a symbol, and by which name. */
const homes = new Map();
const homeOf = (symbol, home) => {
  if (!homes.has(symbol)) homes.set(symbol, home);
  return homes.get(symbol);
};
for (const entry of entries) {
  for (const exported of exportsOf(entry)) {
    homeOf(actual(exported), { report: entry.name, name: exported.name, isExported: true });
  }
}

const sorted = (texts) => [...texts].toSorted((one, other) => (one < other ? -1 : 1));

const link = (links, module, name) => links.set(module, (links.get(module) ?? new Set()).add(name));

/** Statements such as `import type { Hold } from './index.js';`, one for each module, with a line for each name. */
const linesOf = (keyword, links) =>
  sorted(links.keys())
    .map((module) => {
      const names = sorted(links.get(module)).map((name) => `    ${name},\n`);
      return `${keyword} {\n${names.join('')}} from '${module}';`;
    })
    .join('\n');

const reports = new Map(entries.map(({ name }) => [name, { imports: new Map(), blocks: [], exports: new Map() }]));

/** Adds the import of what another package declares. */
const importForeign = (imports, symbol) => {
  const specifier = symbol.declarations?.find(ts.isImportSpecifier);
  if (specifier === undefined) return;
  const name = specifier.propertyName ? `${specifier.propertyName.text} as ${symbol.name}` : symbol.name;
  link(imports, specifier.parent.parent.parent.moduleSpecifier.text, name);
};

/** Prints a statement as it is in a report: without private members, and with the names that symbols have in reports. */
const textOf = (statement, report) => {
  const { imports } = reports.get(report);
  const visit = (node) => {
    if (isPrivate(node)) return undefined;
    // A type of another file that the statement names by its path.
    if (ts.isImportTypeNode(node) && node.argument.literal.text.startsWith('.')) {
      return ts.factory.createTypeReferenceNode(visit(node.qualifier), node.typeArguments?.map(visit));
    }
    const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
    if (symbol === undefined) return ts.visitEachChild(node, visit, undefined);
    if (statementsOf(actual(symbol)).length === 0) {
      importForeign(imports, symbol);
      return node;
    }
    const { name } = actual(symbol);
    const home = homeOf(actual(symbol), { report, name, isExported: false });
    if (home.report !== report) link(imports, `./${home.report}.js`, home.name);
    return ts.factory.createIdentifier(home.name);
  };
  return printer.printNode(ts.EmitHint.Unspecified, visit(statement), statement.getSourceFile());
};

// Printing finds further symbols; a map is iterated over what is added meanwhile as well.
for (const [symbol, { report, name, isExported }] of homes) {
  const texts = statementsOf(symbol).map((statement) => textOf(statement, report));
  const lines = [...(isExported ? [] : ['// not exported']), ...new Set(texts)];
  reports.get(report).blocks.push([name, lines.join('\n')]);
}
for (const entry of entries) {
  for (const exported of exportsOf(entry)) {
    const { report, name } = homes.get(actual(exported));
    if (report !== entry.name) link(reports.get(entry.name).exports, `./${report}.js`, name);
  }
}

const folder = join(root, 'api');
const contents = new Map(
  [...reports].map(([report, { imports, blocks, exports }]) => {
    const texts = blocks.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text);
    const parts = [linesOf('import type', imports), ...texts, linesOf('export', exports)];
    return [`${report}.d.ts`, `${parts.filter(Boolean).join('\n\n')}\n`];
  }),
);
mkdirSync(folder, { recursive: true });
const stored = readdirSync(folder);
const before = (name) => (stored.includes(name) ? readFileSync(join(folder, name), 'utf8') : '');
// An entry that is gone has no report any more.
const changed = [...new Set([...stored, ...contents.keys()])].filter((name) => before(name) !== contents.get(name));

for (const name of changed) {
  const path = join(folder, name);
  const report = contents.get(name);
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

// `skipLibCheck` would leave out these files as well, so each is asked for, and the packages are not.
const reported = readdirSync(folder).map((name) => join(folder, name));
const checked = ts.createProgram(reported, options);
const errors = reported.flatMap((path) => {
  const file = checked.getSourceFile(path);
  return [...checked.getSyntacticDiagnostics(file), ...checked.getSemanticDiagnostics(file)];
});
if (errors.length > 0) {
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => '\n' };
  console.error(ts.formatDiagnostics(errors, host));
  process.exitCode = 1;
}
