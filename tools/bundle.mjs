// Bundles lib/, which tsc has compiled to dist/build, into what is published, dist/lib: each entry with its declarations,
// the files that entries share, and the command line. What an application has anyway, the peers, it has from there.
import { build } from 'esbuild';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { minify } from 'terser';
import { entries } from './entries.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiled = join(root, 'dist/build');
const dir = join(root, 'dist/lib');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const inputs = (ending, files = entries) =>
  Object.fromEntries(Object.entries(files).map(([name, file]) => [name, join(compiled, `${file}${ending}`)]));

/** Puts the argument parser into the command line, so that users who never run it install nothing for it. */
const commander = {
  name: 'commander',
  resolveId: (id) => (id === 'commander' ? id : undefined),
  async load(id) {
    if (id !== 'commander') return undefined;
    const options = { entryPoints: [id], bundle: true, platform: 'node', format: 'cjs', minify: true, write: false };
    const { outputFiles } = await build({ ...options, absWorkingDir: root, logLevel: 'warning' });
    const names = ['Command', 'CommanderError', 'InvalidArgumentError', 'Option'];
    return `const module = { exports: {} };
      ((module, exports) => {${outputFiles[0].text}})(module, module.exports);
      export const { ${names.join(', ')} } = module.exports;`;
  },
};

/**
 * Without comments and spaces it loads faster, and takes less memory. Names of classes and methods stay, for stacks.
 */
const minifier = {
  name: 'minifier',
  renderChunk: (code) =>
    minify(code, {
      ecma: 2022,
      format: { ascii_only: true },
      keep_classnames: true,
      toplevel: true,
      compress: { passes: 2, global_defs: { PACKAGE_VERSION: version } },
    }),
};

const external = (id) => /^[@a-z]/.test(id) && id !== 'commander';

/** Warnings end the build, but for one: the helpers that tsc writes for decorators ask for `this`, and do without it. */
const onLog = (level, log, handler) => {
  if (log.code !== 'THIS_IS_UNDEFINED') handler(level === 'warn' ? 'error' : level, log);
};

rmSync(dir, { recursive: true, force: true });
const library = await rollup({
  input: inputs('.js', { ...entries, cli: 'cli/main', 'shared/renewal.worker': 'watchdog/worker/renewal.worker' }),
  external,
  plugins: [commander],
  treeshake: { moduleSideEffects: false },
  onLog,
});

const CLIENTS = ['ioredis', 'redis'];

/** Whether a file needs a peer other than a client library, itself or by another file. */
const needsPeer = (id, getModuleInfo, seen = new Set()) => {
  if (seen.has(id)) return false;
  seen.add(id);
  // Declarations name a module of Node without its prefix.
  if (external(id)) return !isBuiltin(id) && !CLIENTS.includes(id);
  return getModuleInfo(id).importedIds.some((imported) => needsPeer(imported, getModuleInfo, seen));
};

/** The entry, or the folder of several, that a file is written for; `undefined`: for all. */
const ownerOf = (id) => {
  const [top, folder] = relative(compiled, id).split('/');
  return top === 'integrations' ? folder : ['testing', 'driver-kit', 'cli'].includes(top) ? top : undefined;
};

/** The files that are shared: that of what needs no Nest is loaded without it. */
const manualChunks = (id, { getModuleInfo }) => {
  const owner = ownerOf(id);
  if (getModuleInfo(id).isEntry || !id.startsWith(compiled) || owner === 'cli') return undefined;
  if (owner === 'metrics') return owner;
  if (needsPeer(id, getModuleInfo)) return owner === undefined ? 'nest' : undefined;
  if (relative(compiled, id).startsWith('backend/memory/')) return 'memory';
  return owner ?? 'locks';
};

const { output } = await library.write({
  dir,
  format: 'cjs',
  exports: 'named',
  minifyInternalExports: false,
  hoistTransitiveImports: false,
  externalLiveBindings: false,
  entryFileNames: '[name].cjs',
  chunkFileNames: 'shared/[name].cjs',
  manualChunks,
  banner: ({ name }) => (name === 'cli' ? '#!/usr/bin/env node' : ''),
  plugins: [minifier],
});
chmodSync(join(dir, 'cli.cjs'), 0o755);

const files = new Map(output.map((chunk) => [chunk.fileName, chunk]));
/** The names of each entry that exist at run time. */
const values = new Map(output.filter(({ isEntry }) => isEntry).map(({ name, exports }) => [name, exports]));

/** The packages that a file requires, itself or by another file. */
const packagesOf = (file, seen = new Set()) => {
  if (seen.has(file)) return [];
  seen.add(file);
  const chunk = files.get(file);
  if (chunk) return chunk.imports.flatMap((imported) => packagesOf(imported, seen));
  return file.startsWith('node:') ? [] : [file];
};

/**
 * The file for ES modules has nothing of its own, so that a process has one copy, whether its files import or require it.
 * A package that is an ES module, such as Nest 12, cannot be required while it is being loaded: it is imported first.
 */
for (const name of Object.keys(entries)) {
  const packages = packagesOf(`${name}.cjs`).map((each) => `import"${each}";`);
  const names = values.get(name).join(',');
  writeFileSync(
    join(dir, `${name}.mjs`),
    `${packages.join('')}import all from"./${name}.cjs";export const{${names}}=all;\n`,
  );
  writeFileSync(join(dir, `${name}.d.mts`), `export * from './${name}.cjs';\n`);
}

/** Marks the other names of an entry as types: the plugin forgets that, and a class would pass for one that can be made. */
const markTypes = (code, { isEntry, name }) =>
  isEntry
    ? code.replaceAll(/(?<=^export \{)[^}]*/gm, (names) =>
        names.replaceAll(/(?:\w+ as )?(\w+)(?=,| *$)/g, (each, as) =>
          values.get(name).includes(as) ? each : `type ${each}`,
        ),
      )
    : undefined;

const types = await rollup({
  input: inputs('.d.ts'),
  external,
  plugins: [dts({ tsconfig: join(root, 'tsconfig.build.json') })],
  // Types that have no name for users are parts of others that have one: test/package/public-types.spec.ts.
  onLog: (level, log, handler) => {
    if (!log.message.includes('private shared type exports')) onLog(level, log, handler);
  },
});
await types.write({
  dir,
  format: 'es',
  hoistTransitiveImports: false,
  entryFileNames: '[name].d.cts',
  chunkFileNames: 'shared/[name].d.cts',
  minifyInternalExports: false,
  manualChunks,
  plugins: [
    { name: 'types', renderChunk: markTypes },
    {
      name: 'indent by one space',
      renderChunk: (code) => code.replaceAll(/^(?: {4})+/gm, ({ length }) => ' '.repeat(length / 4)),
    },
  ],
});
