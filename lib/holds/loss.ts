import { isPassing, LockKeyTypeError, LockLostError } from '../errors.js';
import type { LockEvents } from '../events/lock-events.js';
import { shownOwner } from '../context/chosen-owner.js';
import type { OwnerId } from '../context/owner-ids.js';
import type { GrantLoss } from './grant-state.js';
import type { LockFamily, LockKind } from './lock-kind.js';
import { runOutsideContexts } from '../context/owner-context.js';
import { type MonotonicScheduler, Stopwatch } from '../time/scheduler.js';
import { type Lease, LeaseCommand } from '../watchdog/lease.js';

const TEXTS: Readonly<Record<GrantLoss, string>> = {
  'lease-over': 'its lease ended before it was renewed or released',
  'held-too-long': 'it was held for longer than maxHold, and the watchdog stopped renewing it',
  gone: 'the server no longer has it, because it expired, was deleted or was force-released',
  unconfirmed: 'its upgrade or downgrade was not confirmed',
};

const GONE_FROM_QUORUM =
  'no quorum of the servers has it now, because it expired, was deleted or was force-released there';

/** The cause of a loss, in words. */
const lossText = (reason: GrantLoss, family: LockFamily): string =>
  reason === 'gone' && family === 'quorum' ? GONE_FROM_QUORUM : TEXTS[reason];

const WATCHED_BUT_OVER =
  'no renewal was confirmed in time: check for failed renewals, a blocked event loop or a suspended process, or raise renewedLease';

const REMEDIES: Readonly<Record<GrantLoss, string>> = {
  'lease-over': 'omit lease, so that the watchdog renews the hold, or make the lease longer than the work takes',
  'held-too-long': 'shorten the work, or raise maxHold',
  gone: 'check for forceRelease(), DEL or FLUSHDB by others, and for a restart or a fail-over of Redis',
  unconfirmed: 'acquire it again; it is released in the background',
};

/** How to avoid the loss, in words. @param isWatched Whether the watchdog renewed the hold. */
export const lossRemedy = (reason: GrantLoss, isWatched: boolean): string =>
  reason === 'lease-over' && isWatched ? WATCHED_BUT_OVER : REMEDIES[reason];

/** Cause and remedy of a loss, for its event. @param isWatched Whether the watchdog renewed the hold. */
export const lossTexts = (
  reason: GrantLoss,
  family: LockFamily,
  isWatched: boolean,
): { readonly reason: string; readonly remedy: string } => ({
  reason: lossText(reason, family),
  remedy: lossRemedy(reason, isWatched),
});

/** @param reason Absent if the lock was released rather than lost. */
export const lossError = (
  name: string,
  ownerId: OwnerId,
  family: LockFamily,
  reason: GrantLoss | undefined,
): LockLostError => {
  const owner = shownOwner(ownerId);
  const why = reason ? lossText(reason, family) : 'it was already released';
  const what = family === 'limit' ? 'Permit of limit' : 'Lock';
  return new LockLostError(`${what} "${name}" is no longer held by ${owner}: ${why}; stop, another owner may hold it`, {
    lockName: name,
    details: { owner, reason },
  });
};

/** The reason for a holder to end its work, which a newer caller wants, or has. */
export const replacedError = (name: string, ownerId: OwnerId): LockLostError => {
  const owner = shownOwner(ownerId);
  return new LockLostError(`Lock "${name}" is taken over by a newer caller from ${owner}: end the work now`, {
    lockName: name,
    details: { owner, reason: 'replaced' },
  });
};

/** A hold that the server is asked about. */
interface AskedHold {
  readonly name: string;
  readonly owner: OwnerId;
  readonly operations: Pick<LockKind['operations'], 'inspect'>;
  readonly kind: Pick<LockKind, 'owner'>;
  readonly lease: Pick<Lease, 'unanswered'>;
  readonly runtime: { readonly events: LockEvents; readonly scheduler: MonotonicScheduler };
}

/** Whether the server says that the owner no longer has the lock. A missing reply says nothing. */
export const isGone = async ({ name, owner, operations, kind, lease, runtime }: AskedHold): Promise<boolean> => {
  try {
    const sent = kind.owner && new Stopwatch(runtime.scheduler);
    const { count, remaining } = await operations.inspect(name, owner);
    // Its owner may have released the lock, and have it again for less than this hold believes in.
    if (sent && count > 0) lease.unanswered(new LeaseCommand(sent, remaining));
    return count === 0;
  } catch (error) {
    if (error instanceof LockKeyTypeError) return true;
    if (!isPassing(error)) runtime.events.emit({ type: 'unexpected', error });
    return false;
  }
};

/** Signals a holder to stop, once. Creates the `AbortSignal` only when it is read. */
export class LazyAbortController {
  private controller: AbortController | undefined;
  /** The reason of the abort, once there is one. */
  reason: Error | undefined;

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.reason && !this.controller.signal.aborted) this.abort(this.reason);
    return this.controller.signal;
  }

  /** Only the first reason counts. Listeners run outside any context, as the caller may be inside one. */
  abort(reason: Error): void {
    this.reason ??= reason;
    runOutsideContexts(() => this.controller?.abort(this.reason));
  }
}

/**
 * The error of work that a newer caller has ended: an error that only wraps the reason of the signal, as Node's timers and
 * streams throw it, stands for that reason, which is answered with 409.
 */
export const errorOfWork = (error: unknown): unknown => {
  // Not by its class, which in tests of jest is that of another realm.
  const { name, cause } = Object(error) as Readonly<Record<'name' | 'cause', unknown>>;
  return name === 'AbortError' && cause instanceof LockLostError && cause.isReplaced ? cause : error;
};
