import type { INestApplicationContext, ModuleMetadata, Type } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockService, RedisLockModule } from 'nest-redis-lock';
import { ConcurrencyProbe } from './concurrency-probe.js';

/** An application under test, with the parts that the checks use. */
export interface ApplicationUnderTest<App extends INestApplicationContext = INestApplicationContext> {
  readonly app: App;
  readonly probe: ConcurrencyProbe;
  readonly locks: LockService;
}

/** The redis-server that the runner started for this process. */
export const serverUrl = (): string => {
  const url = process.env['REDIS_URL'];
  if (url === undefined) throw new Error('The runner gives this process no redis-server');
  return url;
};

/** The backend of the locks of this process. */
export const backend = (): 'memory' | 'redis' => (process.env['MATRIX_BACKEND'] === 'redis' ? 'redis' : 'memory');

const lockModule = () =>
  backend() === 'redis'
    ? RedisLockModule.forRoot({
        connection: serverUrl(),
        driver: process.env['LOCK_DRIVER'] === 'node-redis' ? 'node-redis' : 'ioredis',
      })
    : RedisLockModule.forRoot({ connection: 'memory' });

/** Creates the root module of an application: locks, the probe, and the classes under test. */
export const rootOf = ({ imports = [], providers = [], controllers = [] }: ModuleMetadata): Type => {
  @Module({ providers: [ConcurrencyProbe], exports: [ConcurrencyProbe] })
  class ProbeModule {}

  @Module({
    imports: [lockModule(), { module: ProbeModule, global: true }, ...imports],
    providers,
    controllers,
  })
  class Root {}
  return Root;
};

export const underTest = <App extends INestApplicationContext>(app: App): ApplicationUnderTest<App> => ({
  app,
  probe: app.get(ConcurrencyProbe, { strict: false }),
  locks: app.get(LockService, { strict: false }),
});

/** Logs only fatal errors, because checks report all others. Change it to find out why a check fails. */
export const quiet = { logger: ['fatal' as const], abortOnError: false };

/** Calls `use` with an application that listens nowhere. */
export const withContext = async (
  metadata: ModuleMetadata,
  use: (tested: ApplicationUnderTest) => Promise<void>,
): Promise<void> => {
  const app = await NestFactory.createApplicationContext(rootOf(metadata), quiet);
  try {
    await use(underTest(app));
  } finally {
    await app.close();
  }
};
