import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test, type TestingModule } from '@nestjs/testing';
import { RedisLockModule, type RedisLockOptions, type Scheduler, WATCHDOG_SCHEDULER } from 'nest-redis-lock';
import type { RedisLockModuleExtras } from 'nest-redis-lock/advanced';
import type { ConnectionRegistry } from '../../lib/runtime/connection-registry.js';
import type { OwnedRuntime } from '../../lib/module/runtime.factory.js';
import { LOCK_CONNECTIONS } from '../../lib/module/redis-lock.constants.js';
import { systemScheduler } from '../../lib/time/scheduler.js';

type Options = RedisLockOptions & RedisLockModuleExtras;

/** An application without a server. It locks in memory unless the options say otherwise. */
export const compile = (
  metadata: ModuleMetadata,
  options: Options = { connection: 'memory' },
  scheduler: Scheduler = systemScheduler,
): Promise<TestingModule> =>
  Test.createTestingModule({
    ...metadata,
    // Tests may end with a lock held; they need not wait long for it.
    imports: [RedisLockModule.forRoot({ shutdownTimeout: 2000, ...options }), ...(metadata.imports ?? [])],
  })
    .overrideProvider(WATCHDOG_SCHEDULER)
    .useValue(scheduler)
    .compile();

/** An application as {@link compile} makes it, initialized. */
export const start = async (
  metadata: ModuleMetadata,
  options?: Options,
  scheduler?: Scheduler,
): Promise<TestingModule> => (await compile(metadata, options, scheduler)).init();

export interface Served {
  readonly app: INestApplication;
  /** The URL of the application, without a slash at the end. */
  readonly url: string;
}

type Adapter = () => AbstractHttpAdapter;

export const adapters: readonly (readonly [name: string, adapter: Adapter])[] = [
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
];

/**
 * An application that listens on a free port, or on the given one.
 * @param forceCloseConnections Cuts open connections when the application closes, because clients may keep connections
 * in stock.
 * @param prepare Runs before the application listens.
 */
export const serve = async (
  adapter: Adapter,
  metadata: ModuleMetadata,
  options?: Options,
  forceCloseConnections = true,
  prepare: (app: INestApplication) => void = () => {},
  port = 0,
): Promise<Served> => {
  const module = await compile(metadata, options);
  const app = module.createNestApplication(adapter(), { logger: false, forceCloseConnections });
  prepare(app);
  await app.listen(port, '127.0.0.1');
  return { app, url: (await app.getUrl()).replace('[::1]', '127.0.0.1') };
};

/** The inside of the module, with its waiters and holds. */
export const runtimeOf = (app: Pick<TestingModule, 'get'>, connection?: string): OwnedRuntime =>
  app.get<ConnectionRegistry<OwnedRuntime>>(LOCK_CONNECTIONS, { strict: false }).get(connection);
