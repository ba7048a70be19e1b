// Lets a plain Node process run the TypeScript of this repository, as jest does: compiled to CommonJS by swc.
//   node test/servers/register.cjs file.ts [arguments]     or     node -r ./test/servers/register.cjs …
// It has to be the main module itself, because Node loads a .ts file of an ESM package as an ES module.
const { existsSync, readFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { transformSync } = require('@swc/core');

const root = path.join(__dirname, '../..');
const swc = JSON.parse(readFileSync(path.join(root, '.swcrc'), 'utf8'));

Module._extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), { ...swc, swcrc: false, filename });
  module._compile(code, filename);
};

const folderOf = (entry) => (entry === undefined || entry === 'testing' ? (entry ?? '') : `integrations/${entry}`);

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const entry = /^nest-redis-lock(?:\/([a-z]+))?$/.exec(request);
  if (entry) return path.join(root, 'lib', folderOf(entry[1]), 'index.ts');
  if (/^\.{1,2}\/.*\.js$/.test(request) && parent?.filename?.endsWith('.ts')) {
    const source = path.resolve(path.dirname(parent.filename), request.replace(/\.js$/, '.ts'));
    if (existsSync(source)) return source;
  }
  return resolveFilename.call(this, request, parent, ...rest);
};

process.setSourceMapsEnabled(true);

if (require.main === module) {
  const [, , file, ...args] = process.argv;
  const main = path.resolve(file);
  process.argv = [process.argv[0], main, ...args];
  require(main);
}
