import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(__dirname, '../..');
const LIB = join(ROOT, 'lib');
const OUT = join(ROOT, 'dist/types');

/** The files that package.json names under `exports`. */
const ENTRIES = [
  'index',
  'advanced',
  'standalone',
  'testing/index',
  'driver-kit/index',
  ...[
    'dashboard',
    'fencing',
    'opentelemetry',
    'prometheus',
    'schedule',
    'terminus',
    'transactional',
    'typeorm',
    'web-locks',
  ].map(entryOf),
];

function entryOf(name: string): string {
  return `integrations/${name}/index`;
}

/**
 * Types that users meet in public ones without a name to import: parts of a public type, which an editor shows in full.
 * Whatever checks the arguments of a decorator at compile time is allowed by its file.
 */
const PARTS: Readonly<Record<string, string>> = {
  ConfigurableModuleClass: "the base class of RedisLockModule, by Nest's builder",
  LockOpenTelemetryModule_base: 'the base class of this module, by the compiler',
  LockPrometheusModule_base: 'the base class of this module, by the compiler',
  ObservingModule: 'the static methods of these two modules',
  MethodParameterDecorator: 'the return type of @CurrentHold()',
  ForElected: 'the return type of @OnElected()',
  ForLeader: 'the return type of @LeaderOnly()',
  CheckAbsence: 'an error of the compiler for a result of @LeaderOnly()',
  Returns: 'a union of texts',
  LockedNeed: 'alternatives of options',
  NotWithPermits: 'alternatives of options',
  NotWithLimit: 'alternatives of options',
  NOT_WITH_PERMITS: 'alternatives of options',
  NOT_WITH_LIMIT: 'alternatives of options',
  KindChoice: 'alternatives of options',
  Exclusive: 'alternatives of options',
  Unfair: 'alternatives of options',
  Unfenced: 'alternatives of options',
  Limited: 'alternatives of options',
  UnlimitedKinds: 'alternatives of options',
  NOT_WITH_OWNER: 'alternatives of options',
  NOT_REPLACEABLE: 'alternatives of options',
  LeaseChoice: 'alternatives of options',
  NestCronOptions: 'options of @Cron',
  OwnerId: 'a text',
  ServerInput: 'a part of ConnectionInput',
  IoredisClient: 'a part of GivenClient, which clients of any version fit',
  IoredisCluster: 'a part of GivenCluster',
  NodeRedisClient: 'a part of GivenClient, which clients of any version fit',
  NodeRedisCluster: 'a part of GivenCluster',
  OfHold: 'fields that several events share',
  OfOwner: 'fields that several events share',
  CandidateState: 'a union of texts',
  Json: 'the result of AsJson',
  InsteadOf: 'the result of a call that does not get its lock',
  Otherwise: 'the result of a call that does not get its lock',
  CheckLockOptions: 'checks options at compile time',
  KindContradictions: 'checks options at compile time',
  LeaseContradictions: 'checks options at compile time',
  OwnerContradictions: 'checks options at compile time',
  ReplaceContradictions: 'checks options at compile time',
  NeedContradictions: 'checks options at compile time',
  NoteContradictions: 'checks options at compile time',
};
const COMPILE_TIME = [
  'decorators/locked.types.d.ts',
  'decorators/single-flight.decorator.d.ts',
  'validation/refused.d.ts',
  'decorators/handler-key.d.ts',
];

/** The declarations of the package, made as its build makes them. */
const declarations = (): ReadonlyMap<string, string> => {
  const read = ts.readConfigFile(join(ROOT, 'tsconfig.build.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, ROOT);
  const made = new Map<string, string>();
  const files = ENTRIES.map((entry) => join(LIB, `${entry}.ts`));
  const program = ts.createProgram(files, { ...options, outDir: OUT, emitDeclarationOnly: true, sourceMap: false });
  program.emit(undefined, (path, text) => void made.set(path, text), undefined, true);
  return made;
};

/** Compiles the declarations alone, as a user's compiler does. */
const compile = (texts: ReadonlyMap<string, string>): ts.Program => {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    strict: true,
    noEmit: true,
  };
  const disk = ts.createCompilerHost(options);
  const folders = new Set([...texts.keys()].map((path) => dirname(path)));
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (path) => texts.has(path) || disk.fileExists(path),
    readFile: (path) => texts.get(path) ?? disk.readFile(path),
    directoryExists: (path) => folders.has(path) || (disk.directoryExists?.(path) ?? true),
    getSourceFile: (path, version, ...rest) => {
      const text = texts.get(path);
      return text === undefined ? disk.getSourceFile(path, version, ...rest) : ts.createSourceFile(path, text, version);
    },
  };
  return ts.createProgram(
    ENTRIES.map((entry) => join(OUT, `${entry}.d.ts`)),
    options,
    host,
  );
};

const isPrivate = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);

const isOverload = (node: ts.Node): boolean =>
  ts.isMethodDeclaration(node) || ts.isMethodSignature(node) || ts.isFunctionDeclaration(node);

/** Names of types, wherever a declaration may refer to one. */
const isReference = ({ parent }: ts.Identifier): boolean =>
  ts.isTypeReferenceNode(parent) ||
  ts.isExpressionWithTypeArguments(parent) ||
  ts.isTypeQueryNode(parent) ||
  ts.isImportTypeNode(parent) ||
  ts.isQualifiedName(parent);

/** The types of the package that are reachable from its entries and cannot be imported, each with the way to it. */
const internalTypes = (program: ts.Program): readonly string[] => {
  const checker = program.getTypeChecker();
  const aimOf = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const exported = ENTRIES.flatMap((entry) => {
    const file = program.getSourceFile(join(OUT, `${entry}.d.ts`));
    const module = file && checker.getSymbolAtLocation(file);
    return module ? checker.getExportsOfModule(module).map(aimOf) : [];
  });
  const isPublic = new Set(exported);
  const ways = new Map(exported.map((symbol) => [symbol, symbol.name]));
  const follow = (node: ts.Node, way: string): void => {
    if (isPrivate(node)) return;
    if (ts.isIdentifier(node) && isReference(node)) {
      const found = checker.getSymbolAtLocation(node);
      const symbol = found && aimOf(found);
      // A map is iterated in order of insertion, also over what is added meanwhile.
      if (symbol && !(symbol.flags & ts.SymbolFlags.TypeParameter) && !ways.has(symbol)) {
        ways.set(symbol, `${way} → ${symbol.name}`);
      }
    }
    ts.forEachChild(node, (child) => follow(child, way));
  };
  const internal: string[] = [];
  for (const [symbol, way] of ways) {
    const own = (symbol.declarations ?? []).filter((node) => node.getSourceFile().fileName.startsWith(OUT));
    for (const node of own) follow(node, way);
    const [first] = own;
    if (!first || isPublic.has(symbol) || symbol.name in PARTS) continue;
    const file = relative(OUT, first.getSourceFile().fileName);
    if (!COMPILE_TIME.includes(file)) internal.push(`${way} (${file})`);
  }
  return internal;
};

describe('The types of the package', () => {
  const texts = declarations();
  const program = compile(texts);

  it('compile without anything that is left out of them', () => {
    expect(ENTRIES.filter((entry) => !program.getSourceFile(join(OUT, `${entry}.d.ts`)))).toEqual([]);
    const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(OUT));
    const errors = own.flatMap((file) => program.getSemanticDiagnostics(file));
    expect(errors.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
  });

  it('lead to no internal type', () => {
    expect(internalTypes(program)).toEqual([]);
  });

  it('describe every overload', () => {
    const checker = program.getTypeChecker();
    const exported = ENTRIES.flatMap((entry) => {
      const file = program.getSourceFile(join(OUT, `${entry}.d.ts`));
      const module = file && checker.getSymbolAtLocation(file);
      return module ? checker.getExportsOfModule(module) : [];
    });
    const targets = exported.map((symbol) =>
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    );
    const functions = targets.flatMap((symbol) => [symbol, ...(symbol.members?.values() ?? [])]);
    const overloads = functions.flatMap(({ declarations: each = [] }) =>
      each.length > 1 ? each.filter(isOverload) : [],
    );
    expect(overloads.length).toBeGreaterThan(10);
    const silent = overloads.filter((node) => ts.getJSDocCommentsAndTags(node).length === 0);
    expect(silent.map((node) => node.getText())).toEqual([]);
  });

  it('would show an internal type of a constructor', () => {
    const path = join(OUT, 'lock.service.d.ts');
    const text = texts.get(path) ?? '';
    const leaking = text.replace('constructor(services: never)', 'constructor(services: ConnectionRegistry)');
    const changed = `import type { ConnectionRegistry } from './runtime/connection-registry.js';\n${leaking}`;
    expect(leaking).not.toBe(text);
    const found = internalTypes(compile(new Map([...texts, [path, changed]])));
    expect(found).toContain('LockService → ConnectionRegistry (runtime/connection-registry.d.ts)');
  });
});
