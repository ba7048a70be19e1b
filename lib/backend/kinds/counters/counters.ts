import { LockOptionsError, wrongKeyType } from '../../../errors.js';
import type { MonotonicScheduler } from '../../../time/scheduler.js';
import { type Announcement, announcementOn, type ScriptExecutor } from '../../commands/script-executor.js';
import { RedisOperations } from '../../commands/deadline-request.js';
import type { CounterAnswer, IdempotentRequests } from '../../commands/idempotent-requests.js';
import { unexpectedReply } from '../../connection/reply-errors.js';
import { scripts } from '../../scripts/scripts.generated.js';
import { latchChannel, semaphoreChannel } from '../../../keys/redisson-keys.js';

interface CounterState {
  /** 0 if there is none. */
  readonly count: number;
  /** Milliseconds until it expires; below 0: it does not, or there is none. */
  readonly remaining: number;
}

/** The most permits that a semaphore can have: Redisson counts them in 32 bits. */
export const MOST_PERMITS = 2 ** 31 - 1;

/** @param available Number of permits available now; nothing was changed. */
export const tooManyPermits = (name: string, available: number, more: number): LockOptionsError =>
  new LockOptionsError(
    `Semaphore "${name}" has ${available} permits; ${more} more would exceed ±${MOST_PERMITS}, the most it can count`,
    { lockName: name, details: { available, permits: more } },
  );

type TakeOutcome =
  /** `available`: permits left now. */
  | { readonly outcome: 'taken'; readonly available: number }
  /** `isSet`: whether the number of permits was ever set. */
  | { readonly outcome: 'too-few'; readonly available: number; readonly isSet: boolean };

/** Messages published when a number changes. */
export interface Announcements {
  readonly channelOf: (name: string) => string;
  readonly whenSet: (count: number) => string;
  /** Empty if a deletion is not announced. */
  readonly whenDeleted: string;
}

/**
 * A number under a name, stored like Redisson's semaphores and latches: a string of decimal digits.
 *
 * The common part of semaphores and latches: a number under a name, without an owner.
 */
export class RedisCounter extends RedisOperations {
  constructor(
    commands: ScriptExecutor,
    protected readonly requests: IdempotentRequests,
    scheduler: MonotonicScheduler,
    private readonly announcements: Announcements,
  ) {
    super(commands, scheduler);
  }

  /**
   * Sets the number if there is none, and announces it on the channel.
   * @param ttl Milliseconds after which the number expires; absent: never.
   * @returns false if there is a number already, 0 included.
   */
  async trySet(name: string, count: number, ttl = 0): Promise<boolean> {
    const message = this.announcements.whenSet(count);
    const { outcome } = await this.requests.change(name, ({ idempotencyKey, keyTtl, notAfter, deadline }) => {
      const args = { count, ttl, message, keep: keyTtl, notAfter, ...this.announcing(name) };
      return this.commands.run(scripts.counter.trySet, { counter: name, marker: idempotencyKey }, args, deadline, name);
    });
    return outcome === 'set';
  }

  /** The number; 0 if there is none. */
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

  /** Resolves with whether there was a number. */
  async delete(name: string): Promise<boolean> {
    const message = this.announcements.whenDeleted;
    const { outcome } = await this.requests.change(name, ({ idempotencyKey, keyTtl, notAfter, deadline }) => {
      const args = { message, keep: keyTtl, notAfter, ...this.announcing(name) };
      return this.commands.run(scripts.counter.delete, { counter: name, marker: idempotencyKey }, args, deadline, name);
    });
    return outcome === 'deleted';
  }

  /**
   * Sets the time to live.
   * @param ttl Milliseconds; 0: none.
   * @returns false if there is no number, or no time to live to remove.
   */
  async expire(name: string, ttl: number): Promise<boolean> {
    const { outcome } = await this.requests.change(name, ({ idempotencyKey, keyTtl, notAfter, deadline }) => {
      const keys = { counter: name, marker: idempotencyKey };
      return this.commands.run(scripts.counter.expire, keys, { ttl, keep: keyTtl, notAfter }, deadline, name);
    });
    return outcome === 'changed';
  }

  protected announcing(name: string): Announcement {
    return announcementOn(this.commands, this.announcements.channelOf(name));
  }
}

/**
 * Semaphores in Redis: string `name`, the number of available permits.
 *
 * The operations of a semaphore whose permits have no owner (Redisson: `RSemaphore`). Each is atomic and has one
 * effect, even if its reply is lost. They reject with `LockUnavailableError` if the backend cannot decide in time, and
 * with `LockKeyTypeError` if the name belongs to a key of another type.
 */
export class RedisSemaphore extends RedisCounter {
  constructor(commands: ScriptExecutor, requests: IdempotentRequests, scheduler: MonotonicScheduler) {
    super(commands, requests, scheduler, { channelOf: semaphoreChannel, whenSet: String, whenDeleted: '' });
  }

  /** Takes permits if enough are available. If the outcome stays unknown, they are returned in the background. */
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

  /**
   * Takes all available permits, and removes the time to live; resolves with their number. If the outcome stays
   * unknown, they are returned like those of {@link take}.
   */
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

  /**
   * Adds permits and announces the new number. If the outcome stays unknown, the backend retries in the background.
   * @throws LockOptionsError if there would be more than {@link MOST_PERMITS}.
   */
  async release(name: string, permits: number): Promise<void> {
    await this.giveBack(name, permits, 1);
  }

  /** As {@link release}, but only if the number is set; resolves with whether it was. */
  async releaseIfExists(name: string, permits: number): Promise<boolean> {
    return (await this.giveBack(name, permits, 0)).outcome === 'released';
  }

  /**
   * Changes the number of permits by `delta`, removes the time to live, and announces the new number unless it is below
   * zero.
   * @throws LockOptionsError if there would be more than {@link MOST_PERMITS}, or fewer than its negative.
   */
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

/**
 * Count-down latches in Redis: string `name`, the remaining count; missing: open.
 *
 * The operations of a latch, which is open while its count is zero (Redisson: `RCountDownLatch`). Each is atomic and
 * has one effect, even if its reply is lost. They reject with `LockUnavailableError` if the backend cannot decide in
 * time, and with `LockKeyTypeError` if the name belongs to a key of another type.
 */
export class RedisLatch extends RedisCounter {
  constructor(commands: ScriptExecutor, requests: IdempotentRequests, scheduler: MonotonicScheduler) {
    super(commands, requests, scheduler, {
      channelOf: latchChannel,
      whenSet: () => NEW_COUNT,
      whenDeleted: NEW_COUNT,
    });
  }

  /**
   * Counts down by one. The last count deletes the latch and announces that on its channel. Does nothing to an open
   * latch. If the outcome stays unknown, the backend retries in the background.
   */
  async countDown(name: string): Promise<void> {
    await this.requests.completeInBackground(
      name,
      { request: 'count-down', count: 1 },
      ({ idempotencyKey, keyTtl, notAfter, deadline }) => {
        const args = { keep: keyTtl, notAfter, ...this.announcing(name) };
        return this.commands.run(
          scripts.counter.countDown,
          { latch: name, marker: idempotencyKey },
          args,
          deadline,
          name,
        );
      },
    );
  }
}
