import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import {
  type CounterOperations,
  type CounterState,
  MOST_PERMITS,
  type SemaphoreOperations,
  type TakeOutcome,
  tooManyPermits,
  type LatchOperations,
} from '../../counter-operations.js';
import { wrongKeyType } from '../../../errors.js';
import type { ScriptExecutor } from '../commands/script-executor.js';
import { type Announcement, announcementOn } from './announcement.js';
import { RedisOperations } from './redis-operations.js';
import type { IdempotentRequests, CounterAnswer } from '../commands/idempotent-requests.js';
import { unexpectedReply } from '../connection/reply-errors.js';
import { scripts } from '../scripts/scripts.generated.js';
import { semaphoreChannel, latchChannel } from '../../../keys/redisson-keys.js';

/** Messages published when a number changes. */
export interface Announcements {
  readonly channelOf: (name: string) => string;
  readonly whenSet: (count: number) => string;
  /** Empty if a deletion is not announced. */
  readonly whenDeleted: string;
}

/** A number under a name, stored like Redisson's semaphores and latches: a string of decimal digits. */
export class RedisCounter extends RedisOperations implements CounterOperations {
  constructor(
    commands: ScriptExecutor,
    protected readonly requests: IdempotentRequests,
    scheduler: MonotonicScheduler,
    private readonly announcements: Announcements,
  ) {
    super(commands, scheduler);
  }

  async trySet(name: string, count: number, ttl = 0): Promise<boolean> {
    const message = this.announcements.whenSet(count);
    const { outcome } = await this.requests.change(name, ({ idempotencyKey, keyTtl, notAfter, deadline }) => {
      const args = { count, ttl, message, keep: keyTtl, notAfter, ...this.announcing(name) };
      return this.commands.run(scripts.counter.trySet, { counter: name, marker: idempotencyKey }, args, deadline, name);
    });
    return outcome === 'set';
  }

  async count(name: string): Promise<number> {
    return (await this.inspect(name)).count;
  }

  async inspect(name: string): Promise<CounterState> {
    const reply = await this.whenReady(name, (deadline) =>
      this.commands.run(scripts.counter.inspect, { counter: name }, {}, deadline, name),
    );
    const [outcome, found, text, remaining] = reply;
    if (outcome === 'wrong-type') throw wrongKeyType(name, found);
    const count = Number(text);
    if (!Number.isSafeInteger(count)) throw unexpectedReply(reply);
    return { count, remaining };
  }

  async delete(name: string): Promise<boolean> {
    const message = this.announcements.whenDeleted;
    const { outcome } = await this.requests.change(name, ({ idempotencyKey, keyTtl, notAfter, deadline }) => {
      const args = { message, keep: keyTtl, notAfter, ...this.announcing(name) };
      return this.commands.run(scripts.counter.delete, { counter: name, marker: idempotencyKey }, args, deadline, name);
    });
    return outcome === 'deleted';
  }

  protected announcing(name: string): Announcement {
    return announcementOn(this.commands, this.announcements.channelOf(name));
  }
}

/** Semaphores in Redis: string `name`, the number of available permits. */
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
      (idempotencyKey) => this.undo(name, idempotencyKey),
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
      (idempotencyKey) => this.undo(name, idempotencyKey),
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

  private async giveBack(name: string, permits: number, create: 0 | 1): Promise<CounterAnswer<'released' | 'not-set'>> {
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

  private async undo(name: string, idempotencyKey: string): Promise<number> {
    const keys = { semaphore: name, marker: idempotencyKey };
    const [, now] = await this.whenReady(name, (deadline) =>
      this.commands.run(scripts.semaphore.undo, keys, this.announcing(name), deadline, name),
    );
    return now;
  }
}

/** Redisson's message for a new count, after which waiters read the count again; `0` means that the latch is open. */
const NEW_COUNT = '1';

/** Count-down latches in Redis: string `name`, the remaining count; missing: open. */
export class RedisLatch extends RedisCounter implements LatchOperations {
  constructor(commands: ScriptExecutor, requests: IdempotentRequests, scheduler: MonotonicScheduler) {
    super(commands, requests, scheduler, {
      channelOf: latchChannel,
      whenSet: () => NEW_COUNT,
      whenDeleted: NEW_COUNT,
    });
  }

  async countDown(name: string): Promise<void> {
    await this.requests.completeInBackground(
      name,
      { request: 'count-down', count: 1 },
      ({ idempotencyKey, keyTtl, notAfter, deadline }) => {
        const args = { keep: keyTtl, notAfter, ...this.announcing(name) };
        return this.commands.run(
          scripts.latch.countDown,
          { latch: name, marker: idempotencyKey },
          args,
          deadline,
          name,
        );
      },
    );
  }
}
