import { AsyncResource } from 'node:async_hooks';
import type { CriticalSection } from '../../reentrancy/critical-section.js';
import { SingleConsumer, type AbandonTimer } from './single-consumer.js';
import type { LockAccess } from './locked-observable.js';

const REMEDY = 'make the method an async generator, or set returns: "iterable", to lock for each iteration';

type Items = AsyncGenerator<unknown, unknown, unknown>;
type IterationStep = Promise<IteratorResult<unknown, unknown>>;

/** An iterable that acquires the locks when iteration starts. */
interface LockedIterable extends LockAccess {
  /** Makes the iterable; runs as the owner. */
  readonly source: () => AsyncIterable<unknown>;
}

export const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/**
 * Runs every step of an iterator in the owner's async context. If the locks are lost between two steps, the error is
 * thrown into the iterator, so that it can clean up.
 */
class OwnedIterator implements AsyncIterator<unknown, unknown, unknown> {
  private readonly scope: AsyncResource;
  private readonly items: AsyncIterator<unknown, unknown, unknown>;

  constructor(
    private readonly section: CriticalSection,
    source: () => AsyncIterable<unknown>,
  ) {
    this.scope = section.run(() => new AsyncResource('LockedItems'));
    this.items = section.run(source)[Symbol.asyncIterator]();
  }

  async next(value: unknown): IterationStep {
    try {
      this.section.run(() => {});
    } catch (lost) {
      return this.throw(lost);
    }
    return this.scope.runInAsyncScope(() => this.items.next(value));
  }

  async return(value: unknown): IterationStep {
    return this.scope.runInAsyncScope(() => this.items.return?.(value) ?? { done: true, value });
  }

  async throw(reason: unknown): IterationStep {
    const told = this.scope.runInAsyncScope(() => this.items.throw?.(reason));
    if (told) return told;
    await this.return(undefined);
    throw reason;
  }
}

async function* itemsOf(section: CriticalSection, source: () => AsyncIterable<unknown>): Items {
  try {
    return yield* { [Symbol.asyncIterator]: () => new OwnedIterator(section, source) };
  } finally {
    await section.leave();
  }
}

async function* admitted({ enter, onConflict, source }: LockedIterable, signal: AbortSignal): Items {
  let section: CriticalSection;
  try {
    section = await enter(signal);
  } catch (error) {
    const other = await onConflict(error);
    return isAsyncIterable(other) ? yield* other : other;
  }
  return yield* itemsOf(section, source);
}

/** Acquires the locks with the first step, and releases them when iteration ends for any reason. */
export const lockedIterable = (locked: LockedIterable): Items => {
  const abandoned = new AbortController();
  const items = admitted(locked, abandoned.signal);
  const end = items.return.bind(items);
  // `return` of a generator waits for the pending step, which may be waiting for the locks; the abort ends that wait.
  items.return = (value: unknown) => {
    abandoned.abort();
    return end(value);
  };
  return items;
};

/** An iterable that a method returned while holding the locks; allows one iteration. */
export const iterableUnderHold = (
  section: CriticalSection,
  source: AsyncIterable<unknown>,
  onAbandoned: AbandonTimer,
): Items => {
  const consumer = new SingleConsumer(section, onAbandoned, 'iteration', REMEDY);
  const begin = async function* (): Items {
    consumer.arrive();
    return yield* itemsOf(section, () => source);
  };
  return begin();
};
