import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';
import { Locked, RedisLockModule } from 'nest-redis-lock';
import { serve } from '../servers/worker-host.js';

const [, , connection = ''] = process.argv;
const counts = new Redis(connection);

/** How long a lock is kept at least, ms. */
export const AT_LEAST_MS = 900;

/** Work that takes no time, so that nothing but the lock keeps replicas that come later from doing it again. */
@Injectable()
class Reports {
  @Locked('report', { onConflict: 'skip', holdAtLeast: AT_LEAST_MS })
  async once(): Promise<void> {
    await counts.incr('runs:once');
  }

  @Locked('careless', { onConflict: 'skip' })
  async careless(): Promise<void> {
    await counts.incr('runs:careless');
  }
}

@Module({ imports: [RedisLockModule.forRoot({ connection })], providers: [Reports] })
class ReplicaModule {}

const opened = NestFactory.createApplicationContext(ReplicaModule, { logger: false });

/** One replica of an application, whose ticks the test makes. */
export const api = {
  tick: async (job: 'once' | 'careless'): Promise<void> => {
    const app = await opened;
    await app.get(Reports)[job]();
  },
  stop: async (): Promise<void> => {
    await (await opened).close();
    counts.disconnect();
  },
};

serve(api);
