import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** Starts what webpack has made of the application, which runs although Redis cannot be reached, and ends it. */
const startBundled = async (place: string): Promise<void> => {
  const application = spawn(process.execPath, ['dist/main.js'], { cwd: place, env: { ...process.env, PORT: '0' } });
  const ended = once(application, 'exit').then(([code]: unknown[]) =>
    Promise.reject(new Error(`It ended: ${String(code)}`)),
  );
  const started = (async () => {
    let output = '';
    for await (const text of application.stdout) if ((output += String(text)).includes('successfully started')) return;
    throw new Error(`It has not started:\n${output}`);
  })();
  await Promise.race([started, ended]);
  application.kill();
  await ended.catch(() => {});
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
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

void main();
