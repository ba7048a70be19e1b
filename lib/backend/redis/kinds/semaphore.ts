import { semaphoreChannel } from '../../../keys/lock-name.js';
import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import { MOST_PERMITS, type SemaphoreOperations, type TakeOutcome, tooManyPermits } from '../../counter-operations.js';
import type { ScriptExecutor } from '../commands/script-executor.js';
import { RedisCounter } from './counters.js';
import type { Answer, IdempotentRequests } from '../commands/idempotent-requests.js';
import { scripts } from '../scripts/scripts.generated.js';

/** Semaphores in Redis: string `name`, how many permits there are. */
export class RedisSemaphore extends RedisCounter implements SemaphoreOperations {
  constructor(commands: ScriptExecutor, requests: IdempotentRequests, scheduler: MonotonicScheduler) {
    super(commands, requests, scheduler, { channelOf: semaphoreChannel, whenSet: String, whenDeleted: '' });
  }

  async take(name: string, permits: number): Promise<TakeOutcome> {
    const { outcome, count } = await this.requests.acquireOnce(
      name,
      { request: 'acquire', count: permits },
      ({ idempotencyKey, keyTtl, notAfter, deadline }) => {
        const keys = { semaphore: name, marker: idempotencyKey };
        return this.commands.run(scripts.semaphore.take, keys, { permits, keep: keyTtl, notAfter }, deadline, name);
      },
      (marker) => this.undo(name, marker),
    );
    if (outcome === 'taken') return { outcome, available: count };
    return { outcome: 'too-few', available: count, isSet: outcome === 'too-few' };
  }

  async drain(name: string): Promise<number> {
    const { count } = await this.requests.acquireOnce(
      name,
      { request: 'drain', count: undefined },
      ({ idempotencyKey, keyTtl, notAfter, deadline }) => {
        const keys = { semaphore: name, marker: idempotencyKey };
        return this.commands.run(scripts.semaphore.drain, keys, { keep: keyTtl, notAfter }, deadline, name);
      },
      (marker) => this.undo(name, marker),
    );
    return count;
  }

  async release(name: string, permits: number): Promise<void> {
    await this.giveBack(name, permits, 1);
  }

  async releaseIfExists(name: string, permits: number): Promise<boolean> {
    return (await this.giveBack(name, permits, 0)).outcome === 'released';
  }

  async add(name: string, delta: number): Promise<void> {
    const { outcome, count } = await this.requests.change(name, ({ idempotencyKey, keyTtl, notAfter, deadline }) => {
      const args = { delta, most: MOST_PERMITS, keep: keyTtl, notAfter, ...this.announcing(name) };
      return this.commands.run(
        scripts.semaphore.add,
        { semaphore: name, marker: idempotencyKey },
        args,
        deadline,
        name,
      );
    });
    if (outcome === 'too-many') throw tooManyPermits(name, count, delta);
  }

  private async giveBack(name: string, permits: number, create: 0 | 1): Promise<Answer<'released' | 'not-set'>> {
    const asked = { request: 'release', count: permits } as const;
    const { outcome, count } = await this.requests.completeInBackground(
      name,
      asked,
      ({ idempotencyKey, keyTtl, notAfter, deadline }) => {
        const args = { permits, most: MOST_PERMITS, create, keep: keyTtl, notAfter, ...this.announcing(name) };
        return this.commands.run(
          scripts.semaphore.release,
          { semaphore: name, marker: idempotencyKey },
          args,
          deadline,
          name,
        );
      },
    );
    if (outcome === 'too-many') throw tooManyPermits(name, count, permits);
    return { outcome, count };
  }

  private async undo(name: string, marker: string): Promise<number> {
    const deadline = this.deadline();
    if (!this.commands.isConnected(name)) await this.commands.whenConnected(deadline, name);
    const keys = { semaphore: name, marker };
    const [, now] = await this.commands.run(scripts.semaphore.undo, keys, this.announcing(name), deadline, name);
    return now;
  }
}
