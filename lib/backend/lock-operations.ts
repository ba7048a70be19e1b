import type { OwnerId } from '../context/owner-ids.js';
import type { LockError } from '../errors.js';
import type { Stopwatch } from '../time/scheduler.js';

/** A client's entry among those that wait for a lock, of which it has one at most. */
export interface WaitingEntry {
  /** The owner that the lock is given to. */
  readonly owner: OwnerId;
  /** Milliseconds that it wants. */
  readonly lease: number;
  /** Milliseconds that it gets with a grant, until it extends them: the client may be dead. */
  readonly firstLease: number;
}

/** The entry with which a releasing client goes on waiting. */
export interface CarriedEntry extends WaitingEntry {
  /**
   * Called later if the release rejects: no copy of it can take effect any more. It is unknown whether the entry was
   * added, and granted.
   */
  onSettled(): void;
}

/** Answer of one of several independent nodes, for the `details.nodes` of errors. */
export interface NodeResult {
  /** Its address: `host:port`, never with a password. */
  readonly node: string;
  /** `pending`: it had not answered yet when the answers of the others sufficed. */
  readonly outcome: string;
  /** Holder of the lock on that node, if there is one. */
  readonly holder?: OwnerId;
  /** Why it did not answer. */
  readonly error?: unknown;
}

/** A new owner's request for `name` for `lease` ms, counted by the server from the moment it grants. */
export interface AcquireRequest {
  readonly name: string;
  readonly owner: OwnerId;
  readonly lease: number;
  /** As in {@link ReleaseRequest}, for the release of an acquisition that the backend undoes. */
  readonly silent?: boolean | undefined;
  /**
   * Whether an application has chosen the owner, which may have the lock already: an acquisition of unknown outcome is left to
   * its lease. Absent: the owner is new, and what it may have is undone.
   */
  readonly isChosen?: boolean | undefined;
  /**
   * The way with another owner that has the lock: it is asked to end, and this attempt acquires nothing, or the lock is taken
   * from it. Absent: it is left alone.
   */
  readonly replaces?: 'asks' | 'takes' | undefined;
}

/** @typeParam Use How much is in use, if several owners may hold it at once. */
export type AcquireOutcome<Use = unknown> =
  /**
   * `sent`: started just before the command left; the lease is counted from there. `fence`: higher than that of any
   * earlier grant, if the kind of lock gives fences.
   */
  | { readonly outcome: 'acquired'; readonly sent: Stopwatch; readonly fence?: bigint; readonly use?: Use }
  /**
   * `remaining`: ms until the lease of `holder` ends by itself; -1 if it never does. Of several holders, it is the one
   * that must end before the request can succeed. `nodes`: the answer of each of several independent nodes, if there
   * are any.
   */
  | {
      readonly outcome: 'busy';
      readonly remaining: number;
      readonly holder: OwnerId;
      readonly nodes?: readonly NodeResult[];
      readonly use?: Use;
    }
  /**
   * No holder keeps the owner out, but it is the turn of `next`, whose place ends in `remaining` ms; -1 if it never does.
   * `isWriter`: `next` is a waiting writer, and the owner a reader that lets it go first.
   */
  | {
      readonly outcome: 'reserved';
      readonly remaining: number;
      readonly next: OwnerId;
      readonly isWriter?: boolean;
    };

/** Request of an owner of `name` to hold it `count` times, at least once, for `lease` ms from now. */
export interface HoldRequest {
  readonly name: string;
  readonly owner: OwnerId;
  /** The count wanted, not a difference, so that the request may be executed twice. */
  readonly count: number;
  readonly lease: number;
  /** As in {@link ReleaseRequest}: those that wait are told if the lock ends sooner than before. */
  readonly silent?: boolean | undefined;
  /** Whether its owner has let go. Then a lock of a group, too, ends after `lease` if it would have lasted longer. */
  readonly isLeft?: boolean | undefined;
}

/** `lost`: the owner does not hold this name any more. */
export type HoldOutcome = { readonly outcome: 'held'; readonly sent: Stopwatch } | { readonly outcome: 'lost' };

export interface ReleaseRequest {
  readonly name: string;
  readonly owner: OwnerId;
  /**
   * Milliseconds for which the server may go on counting the hold if it does not learn of the release. The release is
   * retried for that long.
   */
  readonly lease: number;
  /**
   * Whether the release is kept from those that only listen, as that of Redisson's spin lock, and is passed on to nobody.
   * Clients with a waiting entry are told. Only plain locks are released silently. Absent: it is announced.
   */
  readonly silent?: boolean | undefined;
  /** The entry with which the releasing client goes on waiting for the lock. Absent: it does not. */
  readonly again?: CarriedEntry | undefined;
}

/** Request to end the hold of any owner. */
export type ForceReleaseRequest = Pick<ReleaseRequest, 'name' | 'silent'>;

/**
 * Request of an owner to let go of `name` and leave it held for `keep` ms from now, without renewal; the owner cannot
 * release it any more.
 */
export interface LeaveBehindRequest extends ReleaseRequest {
  readonly keep: number;
}

/**
 * `not-held`: the owner holds nothing under this name, because it released before or its lease ended. `heard`: number
 * of clients that received the announcement, if that was counted; `asking`: those of them that ask for the lock now,
 * since they wait for it or cannot be given it, such as those of Redisson. Absent: all. `passed-on`: the client that has
 * waited longest has the lock, and `again` is waiting. `kept`: no other client waits, so the releasing client has the
 * lock as the owner of `again`; `sent` was started just before the command left. `released-before`: by an earlier try
 * whose reply was lost, so that it is unknown whether `again` is waiting or has the lock.
 */
export type ReleaseOutcome =
  | { readonly outcome: 'released'; readonly heard?: number; readonly asking?: number }
  | { readonly outcome: 'released-before' | 'not-held' }
  | { readonly outcome: 'passed-on'; readonly sent?: Stopwatch | undefined }
  | { readonly outcome: 'kept'; readonly sent: Stopwatch };

/** Request of an owner of `name` to hold it for `lease` ms from now, with an unchanged hold count. */
export interface Renewal {
  readonly name: string;
  readonly owner: OwnerId;
  readonly lease: number;
}

export interface RenewOutcome {
  readonly sent: Stopwatch;
  /**
   * For each renewal, in order: whether the owner still held the lock, and so does for its lease; `undefined` if that
   * is unknown for this one, though known for others.
   */
  readonly held: readonly (boolean | undefined)[];
  /** Why some are unknown, if any are. */
  readonly failure?: LockError;
}

export interface LockState {
  readonly locked: boolean;
  /** Hold count of the owner asked about; 0 for any other. */
  readonly count: number;
  /** Milliseconds until the lease ends; -1 without end, -2 if the lock is free. */
  readonly remaining: number;
}

/**
 * The operations of a lock with owners, whatever its kind. Each is atomic. They reject with `LockUnavailableError` if
 * the backend cannot decide in time, and with `LockKeyTypeError` if the name belongs to a key of another type. An
 * acquisition whose outcome stays unknown is undone by the backend, in the background, until that is confirmed. The
 * requests of one owner take effect in the order they were made, or not at all: a late request never overtakes the
 * next.
 */
export interface LockOperations {
  acquire(request: AcquireRequest): Promise<AcquireOutcome>;
  /** The effect of a failed request is settled by the owner's next operation, which states what it wants. */
  hold(request: HoldRequest): Promise<HoldOutcome>;
  /** If the outcome stays unknown, the backend retries in the background. */
  release(request: ReleaseRequest): Promise<ReleaseOutcome>;
  /**
   * Resolves with whether the owner still had the lock. If the outcome stays unknown, the backend retries in the
   * background, and releases the lock if its time passes first.
   */
  leaveBehind(request: LeaveBehindRequest): Promise<boolean>;
  renew(renewals: readonly Renewal[]): Promise<RenewOutcome>;
  /** Ends the hold of any owner. Resolves with whether there was one. */
  forceRelease(request: ForceReleaseRequest): Promise<boolean>;
  inspect(name: string, owner: OwnerId | undefined): Promise<LockState>;
}

/**
 * Source of fencing tokens. `clock`: the server's time in microseconds, or one above the last token if that is more;
 * keeps rising when the server has lost its data. `counter`: one above the last, as in Redisson.
 */
export type Fencing = 'clock' | 'counter';

export interface ReadRequest extends AcquireRequest {
  /** Whether waiting writers that want to go first do so; see {@link WriteRequest}. */
  readonly behindWriters?: boolean;
}

/** A waiting writer that goes before new readers. */
export interface WaitingWriter {
  /** One id for all attempts of a waiter, unlike the owner id of each attempt. */
  readonly id: OwnerId;
  /** Milliseconds for which the writer counts as waiting, unless it is announced again or withdrawn. */
  readonly slot: number;
}

export interface WriteRequest extends AcquireRequest {
  /** If the lock is busy, readers with `behindWriters` are not admitted from now on. Absent: readers are admitted. */
  readonly waiting?: WaitingWriter | undefined;
}
