import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTimed } from './run-timed.js';

/** What `nest new` makes of its defaults: by version 11 CommonJS with ts-jest, by version 12 ES modules with vitest. */
const TEMPLATES: readonly { readonly cli: string; readonly modules: 'CommonJS' | 'ES modules' }[] = [
  { cli: '11.0.13', modules: 'CommonJS' },
  { cli: '12.0.8', modules: 'ES modules' },
];

const SOURCES = ['orders.service.ts', 'orders.service.spec.ts', 'orders.module.ts'];
const APPLICATION = join(__dirname, 'application');

/** Adds the orders to an application, as its developer would; its configuration stays untouched. */
const addOrders = (place: string, modules: 'CommonJS' | 'ES modules'): void => {
  const suffix = modules === 'CommonJS' ? '' : '.js';
  for (const file of SOURCES) {
    const text = readFileSync(join(APPLICATION, file), 'utf8');
    writeFileSync(join(place, 'src', file), text.replaceAll(/(from '\.\/.*)\.js'/g, `$1${suffix}'`));
  }
  const main = join(place, 'src/app.module.ts');
  const text = readFileSync(main, 'utf8');
  const withOrders = text.replace('imports: []', 'imports: [OrdersModule]');
  if (withOrders === text) throw new Error(`The template has changed: no empty list of imports in ${text}`);
  writeFileSync(main, `import { OrdersModule } from './orders.module${suffix}';\n${withOrders}`);
  copyFileSync(join(APPLICATION, 'orders.node-test.mjs'), join(place, 'orders.node-test.mjs'));
};

/** Starts an application, and ends it when `use` has done with what it said until it matched `started`. */
const run = async (
  place: string,
  args: readonly string[],
  started: RegExp,
  use: (match: RegExpExecArray) => Promise<void> = () => Promise.resolve(),
): Promise<void> => {
  const application = spawn(process.execPath, args, { cwd: place, env: { ...process.env, PORT: '0' } });
  const ended = once(application, 'exit').then(([code]: unknown[]) =>
    Promise.reject(new Error(`It ended: ${String(code)}`)),
  );
  const using = (async () => {
    let output = '';
    for await (const text of application.stdout) {
      output += String(text);
      const match = started.exec(output);
      if (match) return use(match);
    }
    throw new Error(`It has not started:\n${output}`);
  })();
  await Promise.race([using, ended]);
  application.kill();
  await ended.catch(() => {});
};

/** What webpack has made of the application runs although Redis cannot be reached. */
const startBundled = (place: string): Promise<void> => run(place, ['dist/main.js'], /successfully started/);

/** The playground, with the packed package in place of the published one. */
const startPlayground = async (place: string, tarball: string): Promise<void> => {
  console.log('the playground');
  cpSync(join(__dirname, '../../sample/playground'), place, { recursive: true });
  const manifest = join(place, 'package.json');
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, text.replace('"nest-redis-lock": "latest"', `"nest-redis-lock": "file:${tarball}"`));
  runTimed('npm', ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts'], place);
  runTimed('npx', ['nest', 'build'], place);
  await run(place, ['dist/main.js'], /The playground is at (\S+)/, async ([, url]) => {
    const post = async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(`${url}/${path}`, { method: 'POST', headers })).text();
    const paid = await Promise.all([post('orders/7/pay'), post('orders/7/pay')]);
    assert.deepEqual(paid.toSorted(), ['order 7 is paid', 'order 7 was paid already']);
    const key = { 'idempotency-key': 'k' };
    assert.equal(await post('refunds', key), await post('refunds', key));
    const page = await (await fetch(`${url}`)).text();
    for (const [, paths = ''] of page.matchAll(/data-paths="([^"]+)"/g)) {
      for (const path of paths.split(' ')) assert.notEqual(await post(path, key), '', path);
    }
    assert.match(await (await fetch(`${url}/locks`)).text(), /<title>/);
  });
  console.log('  ok');
};

/** Makes each application, adds the packed package and a locked service, and runs the application's own tests. */
const main = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'new-application-'));
  try {
    const pack = ['pack', '--silent', '--pack-destination', folder];
    const tarball = join(folder, runTimed('npm', pack, join(__dirname, '../..')).trim());
    for (const { cli, modules } of TEMPLATES) {
      const name = `shop-${cli.split('.')[0]}`;
      const place = join(folder, name);
      console.log(`nest new of @nestjs/cli ${cli}, ${modules}`);
      const create = ['new', name, '--skip-install', '--skip-git', '--package-manager', 'npm'];
      runTimed('npx', ['--yes', `@nestjs/cli@${cli}`, ...create], folder);
      runTimed(
        'npm',
        ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', tarball, 'ioredis'],
        place,
      );
      addOrders(place, modules);
      runTimed('npm', ['test', '--silent'], place);
      runTimed('npm', ['run', '--silent', 'build'], place);
      runTimed(process.execPath, ['--test', 'orders.node-test.mjs'], place);
      if (modules === 'CommonJS') {
        runTimed('npx', ['nest', 'build', '--webpack'], place);
        await startBundled(place);
      }
      console.log(`  ok`);
    }
    await startPlayground(join(folder, 'playground'), tarball);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

void main();
