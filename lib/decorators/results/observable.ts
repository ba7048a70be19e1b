import { AsyncResource } from 'node:async_hooks';
import { defer, of, isObservable, Observable, type Subscriber, takeWhile, type Subscription } from 'rxjs';
import type { CriticalSection } from '../../reentrancy/critical-section.js';
import { SingleConsumer, type AbandonTimer } from './single-consumer.js';

const REMEDY = 'declare the return type Observable, or set returns: "observable", to lock for each subscription';

/** An Observable to be followed under locks. */
export interface ObservableSource {
  /** Makes the Observable; runs as the owner. */
  readonly source: () => Observable<unknown>;
  /** What else has to end before the locks are released, and holds up nothing else. */
  readonly until?: () => Promise<void>;
}

/** How to get in to the locks of a call. */
export interface LockAccess {
  /** Gets in; `signal` aborts when nobody is interested any more. */
  readonly enter: (signal: AbortSignal) => Promise<CriticalSection>;
  /** What there is to be when that failed; rejects with what is to be thrown. */
  readonly onConflict: (error: unknown) => Promise<unknown>;
}

/** An Observable that takes the locks for each subscription. */
export type LockedObservable = ObservableSource & LockAccess;

/**
 * Passes on what the source emits, and releases at its end. The source runs as the owner, the consumer does not: it
 * hears everything in its own context.
 */
const follow = (guard: CriticalSection, { source, until }: ObservableSource, subscriber: Subscriber<unknown>): void => {
  const consumer = new AsyncResource('LockedObservable');
  const forward = (notify: () => void): void => consumer.runInAsyncScope(notify);
  // Whoever sees the end finds the locks free, unless something later than the source has to end, too.
  const end = (notify: () => void): void => {
    if (until) forward(notify);
    else void guard.leave().then(() => forward(notify));
  };
  let subscription: Subscription | undefined;
  subscriber.add(() => {
    subscription?.unsubscribe();
    void (until?.() ?? Promise.resolve()).then(() => guard.leave());
  });
  // Deferred, so that a source that throws fails like one that emits an error. A source that emits at once, and without
  // end, can be stopped by its next value only.
  const stoppable = defer(source).pipe(takeWhile(() => !subscriber.closed));
  let ending: (() => void) | undefined;
  subscription = guard.run(() =>
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
  // After what the source itself does at its end, which still needs the locks.
  subscription.add(() => {
    if (ending) end(ending);
  });
  // The consumer left while the source was being subscribed to.
  if (subscriber.closed) subscription.unsubscribe();
};

/**
 * A cold Observable: each subscription takes the locks, runs the source under them, and releases at completion, error
 * or unsubscription.
 */
export const lockedObservable = (guarded: LockedObservable): Observable<unknown> =>
  new Observable((subscriber) => {
    const abandoned = new AbortController();
    subscriber.add(() => abandoned.abort());
    const settle = async (): Promise<void> => {
      let guard: CriticalSection;
      try {
        guard = await guarded.enter(abandoned.signal);
      } catch (error) {
        const instead = await guarded.onConflict(error);
        subscriber.add((isObservable(instead) ? instead : of(instead)).subscribe(subscriber));
        return;
      }
      if (subscriber.closed) await guard.leave();
      else follow(guard, guarded, subscriber);
    };
    settle().catch((error: unknown) => subscriber.error(error));
  });

/** An Observable that a method made while it already held the locks; for its one subscription. */
export const observableUnderHold = (
  guard: CriticalSection,
  source: Observable<unknown>,
  afterPatience: AbandonTimer,
): Observable<unknown> => {
  const consumer = new SingleConsumer(guard, afterPatience, 'subscription', REMEDY);
  return new Observable((subscriber) => {
    consumer.come();
    follow(guard, { source: () => source }, subscriber);
  });
};
