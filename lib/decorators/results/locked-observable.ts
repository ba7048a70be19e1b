import { AsyncResource } from 'node:async_hooks';
import { defer, of, isObservable, Observable, type Subscriber, takeWhile, type Subscription } from 'rxjs';
import type { CriticalSection } from '../../reentrancy/critical-section.js';
import { SingleConsumer, type AbandonTimer } from './single-consumer.js';

const REMEDY = 'declare the return type Observable, or set returns: "observable", to lock for each subscription';

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
export const observableUnderHold = (
  section: CriticalSection,
  source: Observable<unknown>,
  onAbandoned: AbandonTimer,
): Observable<unknown> => {
  const consumer = new SingleConsumer(section, onAbandoned, 'subscription', REMEDY);
  return new Observable((subscriber) => {
    consumer.arrive();
    follow(section, { source: () => source }, subscriber);
  });
};
