import 'reflect-metadata';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type * as Library from '../../../lib/index.js';
import type { Adapter, Held } from './adapter.js';

/** Path of the built library as users get it. Its name resolves to the sources here. */
const built = fileURLToPath(new URL('../../../dist/cjs/index.js', import.meta.url));

const asHeld = (hold: Library.Hold): Held => ({
  release: async () => {
    const end = await hold.release();
    if (end !== 'released') throw new Error(`${hold.name} was released as '${end}'`);
  },
});

/** This library as an application has it: through its module, with the watchdog. */
export const nestRedisLock: Adapter = {
  title: 'nest-redis-lock',
  waiting: 'told',
  hasFairLock: true,
  renews: true,
  open: async ({ host, port }, { fair = false, watchdogTimeout }) => {
    const { LockService, RedisLockModule } = createRequire(import.meta.url)(built) as typeof Library;

    @Module({
      imports: [
        RedisLockModule.forRoot({
          connection: { host, port },
          ...(watchdogTimeout === undefined ? {} : { watchdogTimeout }),
        }),
      ],
    })
    class BenchModule {}

    const app = await NestFactory.createApplicationContext(BenchModule, { logger: ['error', 'warn'] });
    const locks = app.get(LockService);
    let lost = 0;
    locks.onEvent(({ type }) => {
      if (type === 'lost') lost++;
    });
    return {
      losses: () => lost,
      acquire: (key, { wait }) => locks.acquire(key, fair ? { wait, fair } : { wait }).then(asHeld),
    };
  },
};
