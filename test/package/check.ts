import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { RedisServer } from '../servers/redis/redis-server.js';

/** The ends of every peer range. All other tests run on Nest 12 and ioredis 6. */
const PEERS: readonly { readonly nest: string; readonly ioredis: string; readonly optional: readonly string[] }[] = [
  { nest: '10.4.22', ioredis: '5.4.2', optional: ['@nestjs-cls/transactional@2.7.0', 'nestjs-cls@5.4.3'] },
  {
    nest: '11.2.10',
    ioredis: '5.11.1',
    optional: ['@nestjs/terminus@11.0.0', '@opentelemetry/api@1.9.0', 'prom-client@15.0.0'],
  },
  {
    nest: '12.5.1',
    ioredis: '6.0.0',
    optional: [
      ...['@nestjs/schedule@12.0.2', '@nestjs-cls/transactional@3.3.0', 'nestjs-cls@6.3.1'],
      ...['@nestjs/terminus@12.1.0', '@opentelemetry/api@1.9.1', 'prom-client@15.1.3'],
    ],
  },
];

const { values: given } = parseArgs({
  options: {
    /** Major versions of Nest, separated by commas. */
    nest: { type: 'string' },
  },
});

const majorOf = (version: string): string => version.split('.')[0] ?? version;

/** Throws for versions that do not exist, so that a misspelt choice does not pass as an empty run. */
const chosenPeers = (): typeof PEERS => {
  const majors = PEERS.map(({ nest }) => majorOf(nest));
  const chosen = given.nest?.split(',') ?? majors;
  const unknown = chosen.filter((major) => !majors.includes(major));
  if (unknown.length > 0) throw new Error(`There is no Nest ${unknown.join(', ')}: choose of ${majors.join(', ')}`);
  return PEERS.filter(({ nest }) => chosen.includes(majorOf(nest)));
};

/** Installs the packed package beside the peers in a folder of their own, and runs a small application there. */
async function main(): Promise<void> {
  const peers = chosenPeers();
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
    for (const { nest, ioredis, optional } of peers) {
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
