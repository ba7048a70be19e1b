import { LockLostError } from '../errors.js';
import type { CriticalSection } from '../reentrancy/critical-section.js';
import { AsyncResource } from 'node:async_hooks';
import { defer, isObservable, Observable, of, type Subscriber, type Subscription, takeWhile } from 'rxjs';
import { finished, Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { StreamableFile } from '@nestjs/common';

/** Runs a task if no consumer has come within the abandon time. Returns a function that cancels it. */
type AbandonTimer = (giveUp: () => void) => () => void;

/**
 * The one allowed consumer of a result that a method made while holding the locks: awaited → arrived → done. The locks are
 * held until the consumer is done. If none comes, a timer releases them, since nothing else would.
 */
class SingleConsumer {
  private state: 'awaited' | 'arrived' | 'given-up' = 'awaited';
  private readonly stopWaiting: () => void;

  /** @param remedy What to do instead, for the message. */
  constructor(
    readonly section: CriticalSection,
    onAbandoned: AbandonTimer,
    private readonly what: string,
    private readonly remedy: string,
  ) {
    this.stopWaiting = onAbandoned(() => {
      this.state = 'given-up';
      void section.leave();
    });
  }

  /** @throws LockLostError for a second consumer, and for one that comes too late. */
  arrive(): void {
    const { state, what, remedy } = this;
    if (state !== 'awaited') {
      const why = state === 'arrived' ? `is for one ${what} only` : `was given up because there was no ${what}`;
      throw new LockLostError(`The lock ${why}; ${remedy}`);
    }
    this.state = 'arrived';
    this.stopWaiting();
  }
}

/** An Observable to subscribe to under locks. */
interface ObservableSource {
  /** Makes the Observable; runs as the owner. */
  readonly source: () => Observable<unknown>;
  /**
   * Ends later than the source, for example the HTTP response: delays the release, but not the notification of the end.
   */
  readonly until?: () => Promise<void>;
}

/** Acquires the locks of a call. */
export interface LockAccess {
  /** Acquires the locks; `signal` aborts when no subscriber or consumer is left. */
  readonly enter: (signal: AbortSignal) => Promise<CriticalSection>;
  /** Returns the result to use after a failed acquisition; rejects with the error to throw. */
  readonly onConflict: (error: unknown) => Promise<unknown>;
}

/** An Observable that acquires the locks for each subscription. */
type LockedObservable = ObservableSource & LockAccess;

/**
 * Forwards the source's values, and releases the locks when it ends. The source runs as the owner; the consumer is
 * notified in its own async context.
 */
const follow = (
  section: CriticalSection,
  { source, until }: ObservableSource,
  subscriber: Subscriber<unknown>,
): void => {
  const consumer = new AsyncResource('LockedObservable');
  const forward = (notify: () => void): void => consumer.runInAsyncScope(notify);
  // The consumer is notified after the release, unless `until` has to end as well.
  const end = (notify: () => void): void => {
    if (until) forward(notify);
    else void section.leave().then(() => forward(notify));
  };
  let subscription: Subscription | undefined;
  subscriber.add(() => {
    subscription?.unsubscribe();
    void (until?.() ?? Promise.resolve()).then(() => section.leave());
  });
  // Deferred, so that a source that throws fails like one that emits an error. A synchronous endless source can only be
  // stopped at its next value.
  const stoppable = defer(source).pipe(takeWhile(() => !subscriber.closed));
  let ending: (() => void) | undefined;
  subscription = section.run(() =>
    stoppable.subscribe({
      next: (value) => forward(() => subscriber.next(value)),
      error: (error: unknown) => {
        ending = () => subscriber.error(error);
      },
      complete: () => {
        ending = () => subscriber.complete();
      },
    }),
  );
  // After the source's own teardown, which still needs the locks.
  subscription.add(() => {
    if (ending) end(ending);
  });
  // The consumer unsubscribed while the source was being subscribed to.
  if (subscriber.closed) subscription.unsubscribe();
};

/**
 * Creates a cold Observable: each subscription acquires the locks, runs the source under them, and releases them at
 * completion, error or unsubscription.
 */
export const lockedObservable = (locked: LockedObservable): Observable<unknown> =>
  new Observable((subscriber) => {
    const abandoned = new AbortController();
    subscriber.add(() => abandoned.abort());
    const settle = async (): Promise<void> => {
      let section: CriticalSection;
      try {
        section = await locked.enter(abandoned.signal);
      } catch (error) {
        const fallback = await locked.onConflict(error);
        subscriber.add((isObservable(fallback) ? fallback : of(fallback)).subscribe(subscriber));
        return;
      }
      if (subscriber.closed) await section.leave();
      else follow(section, locked, subscriber);
    };
    settle().catch((error: unknown) => subscriber.error(error));
  });

/** An Observable that a method returned while holding the locks; allows one subscription. */
const observableUnderHold = (
  section: CriticalSection,
  source: Observable<unknown>,
  onAbandoned: AbandonTimer,
): Observable<unknown> => {
  const remedy = 'declare the return type Observable, or set returns: "observable", to lock for each subscription';
  const consumer = new SingleConsumer(section, onAbandoned, 'subscription', remedy);
  return new Observable((subscriber) => {
    consumer.arrive();
    follow(section, { source: () => source }, subscriber);
  });
};

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
const iterableUnderHold = (
  section: CriticalSection,
  source: AsyncIterable<unknown>,
  onAbandoned: AbandonTimer,
): Items => {
  const remedy = 'make the method an async generator, or set returns: "iterable", to lock for each iteration';
  const consumer = new SingleConsumer(section, onAbandoned, 'iteration', remedy);
  const begin = async function* (): Items {
    consumer.arrive();
    return yield* itemsOf(section, () => source);
  };
  return begin();
};

/** A stream that is read after the method has returned. */
type Source = Readable | ReadableStream;

/** Detected by tag, as in Nest: the `Response` need not come from this Node's `fetch()`. */
const isResponse = (value: unknown): value is Pick<Response, 'body'> =>
  Object.prototype.toString.call(value) === '[object Response]';

/** The stream that a method returned, directly or wrapped for Nest to send. */
const streamIn = (result: unknown): Source | undefined => {
  if (result instanceof StreamableFile) return result.getStream();
  const source: unknown = isResponse(result) ? result.body : result;
  return source instanceof Readable || source instanceof ReadableStream ? source : undefined;
};

/**
 * Holds the locks until the stream has ended, failed or been abandoned, for example because its client disconnected.
 */
const holdUntilFinished = (section: CriticalSection, stream: Source, onAbandoned: AbandonTimer): void => {
  const release = (): void => void section.leave();
  const stopWaiting = onAbandoned(() => {
    if (isUnread(stream)) release();
  });
  // `finished` accepts web streams, but its types do not. Any outcome ends the stream; errors go to its reader.
  finished(stream as Readable, { writable: false }, () => {
    stopWaiting();
    release();
  });
};

const isUnread = (stream: Source): boolean =>
  stream instanceof Readable ? !stream.readableDidRead && stream.readableFlowing === null : !stream.locked;

/**
 * Wraps a result that continues after the method has returned, and holds the locks until it ends. Returns `undefined`
 * if the result is complete.
 */
export const lockedOpenResult = (section: CriticalSection, result: unknown, onAbandoned: AbandonTimer): unknown => {
  if (typeof result !== 'object' || result === null) return undefined;
  if (isObservable(result)) return observableUnderHold(section, result, onAbandoned);
  // Streams first: they are async iterables, too, but the caller expects the full stream object.
  const stream = streamIn(result);
  if (stream) {
    holdUntilFinished(section, stream, onAbandoned);
    return result;
  }
  return isAsyncIterable(result) ? iterableUnderHold(section, result, onAbandoned) : undefined;
};
