import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';

const LIB = resolve(__dirname, '../lib');

/** The layers from the bottom up. A folder imports only from the folders of its own layer and from those below. */
const LAYERS: readonly (readonly string[])[] = [
  ['errors', 'linked-list', 'time', 'validation'],
  ['concurrency', 'context', 'events', 'keys'],
  ['backend'],
  ['inspection'],
  ['waiting', 'watchdog'],
  ['deadlock', 'holds'],
  ['reentrancy'],
  ['locks'],
  ['coordination', 'synchronizers'],
  ['runtime'],
  ['lock.service'],
  ['decorators'],
  // The parts that a user of Nest wires.
  ['driver-kit', 'integrations', 'module', 'testing'],
  ['advanced', 'standalone'],
  ['index'],
  // A program of its own.
  ['cli'],
];

const MOST_LINES = 450;

/** File name endings that describe the content. Such a file need not be named for an export. */
const TELLING_ENDINGS = ['.options', '.types', '.constants', '.factory'];

/** The room of each kind of lock. A file in it is named for its subject, whatever its classes are called. */
const KINDS = 'backend/kinds/';

/** Files without one main export. */
const MANY_EXPORTS: Readonly<Record<string, string>> = {
  'errors.ts': 'the error family, on one page',
  'advanced.ts': 'an entry, as index.ts is',
  'standalone.ts': 'an entry, as index.ts is',
  'cli/main.ts': 'the program, which exports nothing',
  'concurrency.ts': 'how promises of one process wait for each other',
  'watchdog/worker/renewal.worker.ts': 'a program for a thread, which exports nothing',
  'holds/loss.ts': 'how a holder learns that it has lost its lock: the signal, the error, the words',
  'integrations/fencing/fence-stores.ts': 'the stores of the latest fencing tokens',
  'backend/probe/inspect-server.ts': 'what one server is, by its own words and by a message to ourselves',
  'backend/probe/probe.ts': 'the probes of one server, of a cluster and of the nodes of a RedLock',
};

const writtenByHand = readdirSync(LIB, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(ts|lua)$/.test(file) && !file.endsWith('.generated.ts'))
  .map((file) => join(LIB, file));
const files = writtenByHand.filter((file) => file.endsWith('.ts'));

const nameOf = (file: string): string => relative(LIB, file);

const layerOf = (file: string): number => {
  const top = nameOf(file).split('/')[0] ?? '';
  return LAYERS.findIndex((names) => names.some((name) => top === name || top === `${name}.ts`));
};

/** The imports of a file, including types. */
const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/from '(\.{1,2}\/[^']+)\.js'/g)]
    .map(([, path = '']) => `${resolve(file, '..', path)}.ts`)
    .filter((imported) => !imported.endsWith('.generated.ts'));

const EXPORT = /^export (?:declare )?(?:abstract )?(?:async )?(class|interface|type|enum|const|function\*?) (\w+)/gm;

interface Export {
  readonly name: string;
  readonly kind: string;
}

const exportsOf = (file: string): readonly Export[] =>
  [...readFileSync(file, 'utf8').matchAll(EXPORT)].map(([, kind = '', name = '']) => ({ name, kind }));

const isType = ({ kind }: Export): boolean => ['class', 'interface', 'type', 'enum'].includes(kind);

/** Converts `RedisLockModule` to `redis-lock-module`. */
const kebab = (name: string): string =>
  name
    .replaceAll('PubSub', 'Pubsub')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();

/** Whether a file need not be named for an export: it has no main export, or is named for its subject. */
const isNamedForSubject = (file: string): boolean => {
  const exported = exportsOf(file);
  return (
    nameOf(file) in MANY_EXPORTS ||
    basename(file) === 'index.ts' ||
    nameOf(file).startsWith(KINDS) ||
    TELLING_ENDINGS.some((ending) => basename(file, '.ts').endsWith(ending)) ||
    // The file has functions on one subject, with their types.
    (!exported.some(({ kind }) => kind === 'class') && !exported.every(isType))
  );
};

/** Whether a file is named for one of its exports, with or without a role behind a dot: `locked.decorator.ts`. */
const isNamedForExport = (file: string): boolean => {
  const [stem = '', ...role] = basename(file, '.ts').split('.');
  return exportsOf(file).some(({ name }) => [stem, [stem, ...role].join('-')].includes(kebab(name)));
};

/** A path of imports that leads back to where it began, if any. */
function circleFrom(start: string): readonly string[] | undefined {
  const seen = new Set<string>();
  const search = (file: string, path: readonly string[]): readonly string[] | undefined => {
    for (const imported of importsOf(file)) {
      if (imported === start) return [...path, imported];
      if (seen.has(imported)) continue;
      seen.add(imported);
      const circle = search(imported, [...path, imported]);
      if (circle) return circle;
    }
    return undefined;
  };
  return search(start, [start]);
}

describe('The folders of lib/', () => {
  it('are all in a layer', () => {
    expect(files.filter((file) => layerOf(file) === -1).map(nameOf)).toEqual([]);
  });

  it('import only what lies below them', () => {
    const upwards = files.flatMap((file) => {
      const above = importsOf(file).filter((imported) => layerOf(imported) > layerOf(file));
      return above.map((imported) => `${nameOf(file)} -> ${nameOf(imported)}`);
    });
    expect(upwards).toEqual([]);
  });

  it('know Nest only at the top, and client libraries only in their drivers', () => {
    const top = LAYERS.findIndex((names) => names.includes('lock.service'));
    const foreign = (word: string, isAllowed: (file: string) => boolean): string[] =>
      files.filter((file) => readFileSync(file, 'utf8').includes(`from '${word}`) && !isAllowed(file)).map(nameOf);
    expect(foreign('@nestjs/', (file) => layerOf(file) >= top)).toEqual([]);
    for (const library of ['ioredis', 'redis'])
      expect(foreign(`${library}'`, (file) => nameOf(file).startsWith('backend/driver/'))).toEqual([]);
  });

  it('name a client library only in their drivers', () => {
    const namesOne = files.filter((file) => /ioredis/i.test(readFileSync(file, 'utf8')));
    expect(namesOne.map(nameOf).filter((name) => !name.startsWith('backend/driver/'))).toEqual([]);
    expect(namesOne.length).toBeGreaterThan(0);
  });

  it('hold more than one file or folder each', () => {
    const folders = new Set(files.map(dirname));
    expect([...folders].filter((folder) => readdirSync(folder).length === 1).map(nameOf)).toEqual([]);
  });
});

describe('The files of lib/', () => {
  it('import nothing that imports them', () => {
    expect(files.map((file) => circleFrom(file)?.map(nameOf).join(' -> ')).filter(Boolean)).toEqual([]);
  });

  it('have names without capitals', () => {
    expect(files.map((file) => basename(file)).filter((name) => name !== name.toLowerCase())).toEqual([]);
  });

  it(`have at most ${MOST_LINES} lines`, () => {
    const lines = (file: string): number => readFileSync(file, 'utf8').trimEnd().split('\n').length;
    expect(writtenByHand.filter((file) => lines(file) > MOST_LINES).map(nameOf)).toEqual([]);
  });

  it('are named for their main export', () => {
    expect(files.filter((file) => !isNamedForSubject(file) && !isNamedForExport(file)).map(nameOf)).toEqual([]);
  });

  it('export no name of a type that another file exports as well', () => {
    const found = new Map<string, string[]>();
    for (const file of files) {
      for (const { name } of exportsOf(file).filter(isType)) {
        found.set(name, [...(found.get(name) ?? []), nameOf(file)]);
      }
    }
    expect([...found].filter(([, places]) => places.length > 1)).toEqual([]);
  });
});

describe('The tests of what lies below Nest', () => {
  const FOLDERS = [
    'backend',
    'chaos',
    'contract',
    'holds',
    'interop',
    'kit',
    'scale',
    'topologies',
    'waiting',
    'watchdog',
  ];

  it('do not load it: in jest, that takes a second for each of their files', () => {
    const sources = FOLDERS.flatMap((folder) =>
      readdirSync(join(__dirname, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => join(folder, file)),
    );
    const ENTRY = /^import (?!type )[^;]*from '(nest-redis-lock|(\.\.\/)+lib\/(testing\/)?index\.js)';$/m;
    expect(sources.filter((file) => ENTRY.test(readFileSync(join(__dirname, file), 'utf8')))).toEqual([]);
  });
});
