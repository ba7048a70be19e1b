import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const LIB = join(import.meta.dirname, '../../lib');
const PACKAGE = '/app/node_modules/nest-redis-lock';
const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');

const integrations = readdirSync(join(LIB, 'integrations')).filter((name) =>
  existsSync(join(LIB, 'integrations', name, 'index.ts')),
);

/** The entries of the package, and where their types are. */
const entries = ['index', 'advanced', 'standalone', 'testing', ...integrations].map(
  (name) => [join('nest-redis-lock', name === 'index' ? '' : name), `${PACKAGE}/dist/lib/${name}.d.cts`] as const,
);

/** The package as it is installed: its manifest and the types that it names. */
const host: ts.ModuleResolutionHost = {
  fileExists: (file) => file === `${PACKAGE}/package.json` || entries.some(([, types]) => types === file),
  readFile: (file) => (file === `${PACKAGE}/package.json` ? manifest : undefined),
};

describe('The types of the package', () => {
  it.each(entries)('are found for %s by an application that resolves like Node 10', (entry, types) => {
    const options = { moduleResolution: ts.ModuleResolutionKind.Node10 };
    const { resolvedModule } = ts.nodeModuleNameResolver(entry, '/app/src/main.ts', options, host);
    expect(resolvedModule?.resolvedFileName).toBe(types);
  });
});

describe('The entry for applications', () => {
  const namesIn = (file: string): readonly string[] => {
    const source = ts.createSourceFile(file, readFileSync(join(LIB, file), 'utf8'), ts.ScriptTarget.Latest, true);
    return source.statements.flatMap((statement) => {
      const { exportClause: clause, moduleSpecifier } = ts.isExportDeclaration(statement) ? statement : {};
      if (!clause && moduleSpecifier?.getText(source) === "'./standalone.js'") return namesIn('standalone.ts');
      if (!clause || !ts.isNamedExports(clause)) throw new Error(`${file} has a statement that is no list of names`);
      return clause.elements.map(({ name }) => name.text);
    });
  };

  it('has at most 60 names', () => {
    expect(namesIn('index.ts').length).toBeLessThanOrEqual(60);
  });

  it('shares no name with nest-redis-lock/advanced', () => {
    const advanced = new Set(namesIn('advanced.ts'));
    expect(advanced.size).toBeGreaterThan(0);
    expect(namesIn('index.ts').filter((name) => advanced.has(name))).toEqual([]);
  });
});
