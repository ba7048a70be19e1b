// Loads each entry of an installed copy of the package, with the optional peers or without them. A process has one copy
// of what they export, by whichever way and entry it comes.
require('reflect-metadata');
const assert = require('node:assert/strict');
const { readdirSync } = require('node:fs');
const path = require('node:path');

const FOLDER = path.join(path.dirname(require.resolve('nest-redis-lock/package.json')), 'dist/lib');

const PEERS = {
  './opentelemetry': '@opentelemetry/api',
  './prometheus': 'prom-client',
  './schedule': '@nestjs/schedule',
  './terminus': '@nestjs/terminus',
  './transactional': '@nestjs-cls/transactional',
};

const isInstalled = (name) => {
  try {
    return require.resolve(name) !== '';
  } catch {
    return false;
  }
};

/** What was exported under each name of an entry so far. Where the main entry has a name, all that have it share it. */
const exported = new Map();

const assertOneCopy = (entry, names) => {
  const main = require('nest-redis-lock');
  for (const [name, value] of Object.entries(names)) {
    const place = name in main ? name : `${entry}, ${name}`;
    assert.ok(!exported.has(place) || exported.get(place) === value, `${place} is there twice`);
    exported.set(place, value);
  }
};

/** Expects that an entry loads in both module systems, or fails because its own peer is missing. */
const load = async (name, peer) => {
  const loaders = [async () => require(name), async () => import(name)];
  for (const loader of loaders) {
    if (peer === undefined || isInstalled(peer)) {
      const { default: _, 'module.exports': __, ...names } = await loader();
      assert.ok(Object.keys(names).length > 0);
      assertOneCopy(name, names);
    } else {
      await assert.rejects(loader, ({ code, message }) => /MODULE_NOT_FOUND$/.test(code) && message.includes(peer));
    }
  }
};

const keepsUntilTransactionEnds = async () => {
  const { Module } = require('@nestjs/common');
  const { NestFactory } = require('@nestjs/core');
  const { ClsPluginTransactional, TransactionHost } = require('@nestjs-cls/transactional');
  const { ClsModule } = require('nestjs-cls');
  const { Locked, LockService, RedisLockModule } = require('nest-redis-lock');
  const { trackTransactions, transactionEnd } = require('nest-redis-lock/transactional');

  class Stock {
    async take() {}
  }
  const take = Object.getOwnPropertyDescriptor(Stock.prototype, 'take');
  const locked = Locked('stock', { releaseAfter: transactionEnd() })(Stock.prototype, 'take', take);
  Object.defineProperty(Stock.prototype, 'take', locked);

  const adapter = trackTransactions({
    connection: {},
    optionsFactory: (connection) => ({
      wrapWithTransaction: async (_, fn, setClient) => {
        setClient({});
        return fn();
      },
      getFallbackInstance: () => connection,
    }),
  });
  class AppModule {}
  const plugins = [new ClsPluginTransactional({ adapter })];
  Module({
    imports: [RedisLockModule.forRoot({ connection: process.env.REDIS_URL }), ClsModule.forRoot({ plugins })],
    providers: [Stock],
  })(AppModule);

  const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error', 'warn'] });
  const locks = app.get(LockService);
  await app.get(TransactionHost).withTransaction(async () => {
    await app.get(Stock).take();
    assert.equal(await locks.tryAcquire('stock'), null);
  });
  assert.equal(await (await locks.acquire('stock', { wait: '2s' })).release(), 'released');
  await app.close();
};

/** The entries of the package: each file with declarations. */
const entries = () => {
  const names = readdirSync(FOLDER).flatMap((file) => /^([\w-]+)\.d\.cts$/.exec(file)?.[1] ?? []);
  assert.ok(names.length > 10);
  return names.map((name) => (name === 'index' ? '.' : `./${name}`));
};

const main = async () => {
  for (const entry of entries()) {
    await load(`nest-redis-lock${entry.slice(1)}`, PEERS[entry]);
  }
  if (isInstalled('@nestjs-cls/transactional')) await keepsUntilTransactionEnds();
};

void main();
