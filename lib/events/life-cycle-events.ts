/** The kind of a lock or semaphore, in events, metrics and inspections. */
export type LockKindName =
  | 'reentrant'
  | 'fair'
  | 'fenced'
  | 'spin'
  | 'group'
  | 'read'
  | 'write'
  | 'redLock'
  | 'limit'
  | 'semaphore'
  | 'permitExpirableSemaphore';

/** The lock that a life-cycle event is about, and the caller that acquires or holds it. */
export interface OfLock {
  /** The name of the connection; `default` for the only one. */
  readonly connection: string;
  readonly kind: LockKindName;
  readonly lockName: string;
  /** The key template that produced the name, such as `order:<0>`; `undefined` for a name given as text. */
  readonly template: string | undefined;
  /** The method or interceptor that acquires it, such as `@Locked Orders.pay`; `undefined` for `LockService`. */
  readonly method: string | undefined;
}

/** {@link OfLock}, and the owner that holds the lock. */
interface OfOwner extends OfLock {
  /** The owner id, as stored in Redis; the permit's id for permits; absent for a semaphore, whose permits have no owner. */
  readonly owner: string | undefined;
}

/**
 * How a hold ended. `released`: Redis confirmed it. `unconfirmed`: Redis has not confirmed it, so the release continues in
 * the background. `kept`: the lock stays locked until `holdAtLeast` is over. `abandoned`: it stays locked until its lease
 * ends. `replaced`: a newer caller has taken it over. `detached`: it was passed to the owner of a token. `converted`: its owner reads instead of writing, or the other
 * way round, and `acquired` follows.
 */
export type HowReleased = 'released' | 'unconfirmed' | 'kept' | 'abandoned' | 'replaced' | 'detached' | 'converted';

/**
 * A step in the life of one acquisition. The usual order is `waiting` (only if the lock was not free), then `acquired`,
 * `renewed` any number of times, and `released` or `handed-over`. Instead of `acquired` there is one of `timed-out`,
 * `conflict`, `cancelled` and `failed`; a hold that ends otherwise ends with `lost`.
 */
export type LifeCycleEvent =
  /** The lock was not free at once, so the caller waits for it. */
  | (OfLock & { readonly type: 'waiting' })
  /** The caller has the lock. `waited`, ms; `isContended`: whether there was a `waiting` before. */
  | (OfOwner & { readonly type: 'acquired'; readonly waited: number; readonly isContended: boolean })
  /** The caller has the lock once more, as its owner held it already. */
  | (OfOwner & { readonly type: 're-entered'; readonly waited: number })
  /** The watchdog has renewed the lease, ms; `heldFor`, ms. */
  | (OfOwner & { readonly type: 'renewed'; readonly heldFor: number; readonly lease: number })
  /**
   * The owner released the lock, and it was given to a waiter at once: to one of this process without a command
   * (`process`), or to another client by the release itself (`server`). `heldFor`, ms.
   */
  | (OfOwner & { readonly type: 'handed-over'; readonly heldFor: number; readonly via: 'process' | 'server' })
  /** The owner let go of the lock, `how` tells in which way. `heldFor`, ms; `undefined` for permits without an owner. */
  | (OfOwner & { readonly type: 'released'; readonly heldFor: number | undefined; readonly how: HowReleased })
  /** The caller waited for all of its `wait` and was refused with LockTimeoutError. `waited`, ms. */
  | (OfLock & { readonly type: 'timed-out'; readonly waited: number })
  /** The caller did not want to wait, and the lock was held: LockConflictError, or `null` from `tryAcquire()`. */
  | (OfLock & { readonly type: 'conflict' })
  /** The caller stopped waiting: its signal aborted, or the application shuts down. `waited`, ms. */
  | (OfLock & { readonly type: 'cancelled'; readonly waited: number })
  /** The acquisition failed for another reason, for example LockUnavailableError. `waited`, ms. */
  | (OfLock & { readonly type: 'failed'; readonly waited: number; readonly error: unknown })
  /** This process ended the hold of another owner, with `forceRelease()` or `releaseHolder()`. */
  | (OfLock & { readonly type: 'force-released' });

export type LifeCycleType = LifeCycleEvent['type'];

const TYPES: Readonly<Record<LifeCycleType, true>> = {
  waiting: true,
  acquired: true,
  're-entered': true,
  renewed: true,
  'handed-over': true,
  released: true,
  'timed-out': true,
  conflict: true,
  cancelled: true,
  failed: true,
  'force-released': true,
};

/** The types of the events that an acquisition may lead to. */
export const ACQUISITION_TYPES = [
  'waiting',
  'acquired',
  're-entered',
  'timed-out',
  'conflict',
  'cancelled',
  'failed',
] as const satisfies readonly LifeCycleType[];

/** The types of all life-cycle events. */
export const LIFE_CYCLE_TYPES = Object.keys(TYPES) as readonly LifeCycleType[];
