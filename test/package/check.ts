import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { RedisServer } from '../servers/redis/redis-server.js';
import { runBundled } from './bundle.js';
import { checkResolutions } from './resolutions.js';
import { runTimed } from './run-timed.js';

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

const APPLICATIONS = ['application.cjs', 'application.mjs', 'entries.cjs'];

/** Needs no Nest. */
const SCRIPT = 'standalone.mjs';
const NO_CLIENT = 'no-client.mjs';

/** Major versions of Node that run the applications beside the one that runs this. */
const OTHER_NODES = ['20', '22', '24'].filter((major) => major !== process.versions.node.split('.')[0]);

const install = (place: string, packages: readonly string[]): void => {
  writeFileSync(join(place, 'package.json'), '{ "private": true }');
  runTimed('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', ...packages], place);
  for (const program of [...APPLICATIONS, SCRIPT, NO_CLIENT])
    copyFileSync(join(__dirname, program), join(place, program));
};

/** Client libraries that may be all that is installed beside the package. */
const CLIENTS = ['ioredis@6.0.0', 'redis@5.12.1', 'redis@6.3.1'];

/** Runs a script where a client library is all that is installed beside the package, and compiles its types. */
const checkScript = async (place: string, tarball: string, client: string, env: NodeJS.ProcessEnv): Promise<void> => {
  console.log(`No Nest, and ${client}`);
  install(place, [client, tarball]);
  if (existsSync(join(place, 'node_modules/@nestjs'))) throw new Error('Nest was installed for a script');
  await runBundled(place, SCRIPT, env);
  for (const node of OTHER_NODES) runTimed('npx', ['--yes', `node@${node}`, SCRIPT], place, env);
  runTimed(process.execPath, [SCRIPT], place, env);
  checkResolutions(place, 'script.ts');
};

/** Runs a script where no client library is installed. */
const checkNoClient = (place: string, tarball: string): void => {
  console.log('No Nest, and no client library');
  install(place, [tarball]);
  runTimed(process.execPath, [NO_CLIENT], place);
};

/**
 * Installs the packed package beside the peers, in a folder of its own for each version of Nest, and runs small
 * applications there: with the newest one on every version of Node and bundled, too, and every module resolution.
 */
const main = async (): Promise<void> => {
  const peers = chosenPeers();
  const newest = peers.at(-1);
  const folder = mkdtempSync(join(tmpdir(), 'package-'));
  const server = await RedisServer.start();
  const env = { REDIS_URL: server.url };
  try {
    const pack = ['pack', '--silent', '--pack-destination', folder];
    const tarball = join(folder, runTimed('npm', pack, join(__dirname, '../..')).trim());
    for (const peer of peers) {
      const { nest, ioredis, optional } = peer;
      console.log(`Nest ${nest} with ${[`ioredis ${ioredis}`, ...optional].join(', ')}`);
      const place = mkdtempSync(join(folder, 'consumer-'));
      const nestPackages = ['common', 'core', 'platform-express'].map((name) => `@nestjs/${name}@${nest}`);
      const others = [`ioredis@${ioredis}`, 'rxjs@7.8.2', 'reflect-metadata@0.2.2', tarball];
      install(place, [...nestPackages, ...others, ...optional]);
      for (const application of APPLICATIONS) runTimed(process.execPath, [application], place, env);
      if (peer !== newest) continue;
      for (const node of OTHER_NODES) {
        for (const application of APPLICATIONS) runTimed('npx', ['--yes', `node@${node}`, application], place, env);
      }
      checkResolutions(place, 'sub-paths.ts');
      for (const program of ['application.cjs', SCRIPT]) await runBundled(place, program, env);
    }
    for (const client of CLIENTS) await checkScript(mkdtempSync(join(folder, 'script-')), tarball, client, env);
    checkNoClient(mkdtempSync(join(folder, 'memory-')), tarball);
    console.log('ok');
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

void main();
