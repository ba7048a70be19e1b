// Lets a plain Node process run the TypeScript of this repository, as jest does: compiled to CommonJS by swc.
//   node test/servers/register.cjs file.ts [arguments]     or     node -r ./test/servers/register.cjs …
// It has to be the main module itself, because Node loads a .ts file of an ESM package as an ES module.
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { version } = require('@swc/core/package.json');

// As in jest: a test may give a lease of 100 ms without a warning.
process.env['NODE_ENV'] ??= 'test';

const root = path.join(__dirname, '../..');
const swc = JSON.parse(readFileSync(path.join(root, '.swcrc'), 'utf8'));

// Tests start hundreds of processes, each of which needs the whole library: it is compiled once.
const cache = path.join(root, 'node_modules/.cache/compiled-tests');
mkdirSync(cache, { recursive: true });

const compiled = (filename) => {
  const source = readFileSync(filename, 'utf8');
  const key = createHash('sha256')
    .update(JSON.stringify([version, swc, filename, source]))
    .digest('hex');
  const file = path.join(cache, `${key}.cjs`);
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const { code } = require('@swc/core').transformSync(source, { ...swc, swcrc: false, filename });
  // Other processes compile the same file at the same time. None may read half of it.
  writeFileSync(`${file}.${process.pid}`, code);
  renameSync(`${file}.${process.pid}`, file);
  return code;
};

Module._extensions['.ts'] = (module, filename) => module._compile(compiled(filename), filename);

/** The entries that the pattern of `exports` does not stand for. */
const entries = { '': 'index.ts', advanced: 'advanced.ts', testing: 'testing/index.ts' };

const { chosenDriver, library } = require('./chosen-driver.cjs');
// On a busy machine that takes longer than the first command of a process may.
if (chosenDriver === 'node-redis') require(library);
const sources = path.join(root, 'lib/');

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  // With DRIVER, the library finds no other client library, as where only that one is installed.
  const isClient = request === 'ioredis' || request === 'redis';
  if (chosenDriver !== undefined && isClient && parent?.filename?.startsWith(sources)) {
    if (chosenDriver === (request === 'redis' ? 'ioredis' : 'node-redis'))
      throw Object.assign(new Error(`Cannot find module '${request}'`), { code: 'MODULE_NOT_FOUND' });
    return resolveFilename.call(this, library, parent, ...rest);
  }
  const entry = /^nest-redis-lock(?:\/([a-z]+))?$/.exec(request);
  if (entry) {
    const [, name = ''] = entry;
    return path.join(root, 'lib', entries[name] ?? `integrations/${name}/index.ts`);
  }
  if (/^\.{1,2}\/.*\.js$/.test(request) && parent?.filename?.endsWith('.ts')) {
    const source = path.resolve(path.dirname(parent.filename), request.replace(/\.js$/, '.ts'));
    if (existsSync(source)) return source;
  }
  return resolveFilename.call(this, request, parent, ...rest);
};

// A worker thread has loaders of its own, and needs this file as well.
const threads = require('node:worker_threads');
const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(file, options) {
    if (!String(file).endsWith('.ts')) super(file, options);
    else super(`require(${JSON.stringify(__filename)});require(${JSON.stringify(file)})`, { ...options, eval: true });
  }
};

process.setSourceMapsEnabled(true);

if (require.main === module) {
  const [, , file, ...args] = process.argv;
  const main = path.resolve(file);
  process.argv = [process.argv[0], main, ...args];
  require(main);
}
