import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisServer } from '../servers/redis/redis-server.js';

/** The ends of every peer range. All other tests run on Nest 12 and ioredis 6. */
const PEERS: readonly { readonly nest: string; readonly ioredis: string; readonly optional: readonly string[] }[] = [
  { nest: '10.4.22', ioredis: '5.4.2', optional: ['@nestjs-cls/transactional@2.7.0', 'nestjs-cls@5.4.3'] },
  { nest: '11.2.10', ioredis: '5.11.1', optional: [] },
  {
    nest: '12.5.1',
    ioredis: '6.0.0',
    optional: ['@nestjs/schedule@12.0.2', '@nestjs-cls/transactional@3.3.0', 'nestjs-cls@6.3.1'],
  },
];

/** Installs the packed package beside the peers in a folder of their own, and runs a small application there. */
async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'package-'));
  const run = (command: string, args: readonly string[], cwd: string, env = {}): string =>
    execFileSync(command, args, {
      cwd,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const server = await RedisServer.start();
  try {
    const tarball = run('npm', ['pack', '--silent', '--pack-destination', folder], join(__dirname, '../..')).trim();
    for (const { nest, ioredis, optional } of PEERS) {
      const place = mkdtempSync(join(folder, 'consumer-'));
      writeFileSync(join(place, 'package.json'), '{ "private": true }');
      const nestPackages = ['common', 'core', 'platform-express'].map((name) => `@nestjs/${name}@${nest}`);
      const others = [`ioredis@${ioredis}`, 'rxjs@7.8.2', 'reflect-metadata@0.2.2', join(folder, tarball)];
      run('npm', ['install', '--silent', '--no-audit', '--no-fund', ...nestPackages, ...others, ...optional], place);
      for (const application of ['application.cjs', 'entries.cjs']) {
        copyFileSync(join(__dirname, application), join(place, application));
        run(process.execPath, [application], place, { REDIS_URL: server.url });
      }
      console.log(`Nest ${nest} with ${[`ioredis ${ioredis}`, ...optional].join(', ')}: ok`);
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

void main();
