// Loads each entry of an installed copy of the package, with the optional peers or without them.
require('reflect-metadata');
const assert = require('node:assert/strict');
const { existsSync, readdirSync } = require('node:fs');
const path = require('node:path');

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

/** Expects that an entry loads in both module systems, or fails because its own peer is missing. */
const load = async (name, peer) => {
  const loaders = [async () => require(name), async () => import(name)];
  for (const loader of loaders) {
    if (peer === undefined || isInstalled(peer)) assert.ok(Object.keys(await loader()).length > 0);
    else await assert.rejects(loader, ({ code, message }) => /MODULE_NOT_FOUND$/.test(code) && message.includes(peer));
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

/** The entries of the package: those that have an export, and each folder of the pattern. */
const entries = () => {
  const manifest = require.resolve('nest-redis-lock/package.json');
  const folder = path.join(path.dirname(manifest), 'dist/cjs/integrations');
  const integrations = readdirSync(folder).filter((name) => existsSync(path.join(folder, name, 'index.js')));
  assert.ok(integrations.length > 0);
  return Object.keys(require(manifest).exports)
    .filter((entry) => !entry.endsWith('.json'))
    .flatMap((entry) => (entry === './*' ? integrations.map((name) => `./${name}`) : [entry]));
};

const main = async () => {
  for (const entry of entries()) {
    await load(`nest-redis-lock${entry.slice(1)}`, PEERS[entry]);
  }
  if (isInstalled('@nestjs-cls/transactional')) await keepsUntilTransactionEnds();
};

void main();
