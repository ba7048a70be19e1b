import 'reflect-metadata';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type * as Library from '../../lib/index.js';
import { earlierEntry } from '../set-up/earlier-build.js';
import type { Adapter, Held } from './adapter.js';

/** Path of an entry of the built library as users get it. Its name resolves to the sources here. */
export const builtEntry = (name = 'index.cjs'): string =>
  fileURLToPath(new URL(`../../dist/lib/${name}`, import.meta.url));

/** The commit that bars compare with: before the mends of November 2026, and the work on speed that followed them. */
export const EARLIER_COMMIT = '1759fe4';

const asHeld = (hold: Library.Hold): Held => ({
  release: async () => {
    const end = await hold.release();
    if (end !== 'released') throw new Error(`${hold.name} was released as '${end}'`);
  },
});

/** What an application does with its locks beside acquiring them. */
interface Attached {
  readonly options?: Library.RedisLockOptions;
  /** Called with the locks of the application. */
  readonly observe?: (locks: Library.LockService) => void;
}

/** A build of this library as an application has it: through its module, with the watchdog. */
export const adapterOf = (title: string, entry: string, { options = {}, observe }: Attached = {}): Adapter => ({
  title,
  waiting: 'told',
  hasFairLock: true,
  renews: true,
  open: async ({ host, port }, { fair = false, renewedLease, inMemory = false }) => {
    const { Locked, LockService, RedisLockModule } = createRequire(import.meta.url)(entry) as typeof Library;

    class Orders {
      @Locked('<0>')
      async pay(_key: string): Promise<void> {}
    }

    @Module({
      imports: [
        RedisLockModule.forRoot({
          ...(inMemory ? { connection: 'memory' as const } : { connection: { host, port } }),
          ...(renewedLease === undefined ? {} : { renewedLease }),
          ...options,
        }),
      ],
      providers: [Orders],
    })
    class BenchModule {}

    const app = await NestFactory.createApplicationContext(BenchModule, { logger: ['error', 'warn'] });
    const [locks, orders] = [app.get(LockService), app.get(Orders)];
    observe?.(locks);
    let lost = 0;
    locks.onEvent(({ type }) => {
      if (type === 'lost') lost++;
    });
    return {
      losses: () => lost,
      calls: {
        withLock: { run: (key) => locks.withLock(key, () => {}) },
        locked: { run: (key) => orders.pay(key) },
        background: {
          run: (key) => locks.withLock(key, { release: 'background' }, () => {}),
          // It comes after the release on the same connection.
          settled: (key) => locks.getLock(key).isLocked(),
        },
      },
      acquire: (key, { wait }) => locks.acquire(key, fair ? { wait, fair } : { wait }).then(asHeld),
    };
  },
});

export const nestRedisLock = adapterOf('nest-redis-lock', builtEntry());
/** The same build on the other client library. */
export const nestRedisLockOnNodeRedis: Adapter = {
  ...adapterOf('nest-redis-lock on node-redis', builtEntry(), { options: { driver: 'node-redis' } }),
  when: 'named',
};
export const nestRedisLockBefore = adapterOf('nest-redis-lock before', earlierEntry(EARLIER_COMMIT));
