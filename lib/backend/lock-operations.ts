import type { OwnerId } from '../context/ids.js';
import type { LockError } from '../errors.js';
import type { Stopwatch } from '../time/monotonic-scheduler.js';

/** What one of several independent nodes said, for the `details.nodes` of errors. */
export interface NodeResult {
  /** Where it is: `host:port`, never with a password. */
  readonly node: string;
  /** `pending`: it had not answered yet when what the others said was enough. */
  readonly outcome: string;
  /** Who has the lock there, where somebody has. */
  readonly holder?: OwnerId;
  /** Why it did not answer. */
  readonly error?: unknown;
}

/** A new owner wants `name` for `lease` ms, counted by the server from the moment it grants. */
export interface AcquireRequest {
  readonly name: string;
  readonly owner: OwnerId;
  readonly lease: number;
}

export type AcquireOutcome =
  /**
   * `sent`: started just before the command left; the lease is counted from there. `fence`: higher than that of any
   * grant before, where the kind of lock gives fences.
   */
  | { readonly outcome: 'acquired'; readonly sent: Stopwatch; readonly fence?: bigint }
  /**
   * `remaining`: ms until the lease of `holder` ends by itself; -1 where it never does. `nodes`: what each of several
   * independent nodes said, where there are such.
   */
  | {
      readonly outcome: 'busy';
      readonly remaining: number;
      readonly holder: OwnerId;
      readonly nodes?: readonly NodeResult[];
    }
  /** Nobody holds it, but it is the turn of `next`, whose place ends in `remaining` ms; -1 where it never does. */
  | { readonly outcome: 'reserved'; readonly remaining: number; readonly next: OwnerId };

/** An owner that has `name` wants to hold it `count` times, at least once, for `lease` ms from now. */
export interface HoldRequest {
  readonly name: string;
  readonly owner: OwnerId;
  /** The count wanted, not a difference, so that the request may be executed twice. */
  readonly count: number;
  readonly lease: number;
}

/** `lost`: the owner has nothing any more under this name. */
export type HoldOutcome = { readonly outcome: 'held'; readonly sent: Stopwatch } | { readonly outcome: 'lost' };

export interface ReleaseRequest {
  readonly name: string;
  readonly owner: OwnerId;
  /**
   * Milliseconds for which the server may go on counting the hold if it does not learn of the release, which is tried
   * again for that long.
   */
  readonly lease: number;
}

/** An owner lets go of `name`, which is to stay held for `keep` ms from now: nobody can release it, and nobody renews it. */
export interface LeaveBehindRequest extends ReleaseRequest {
  readonly keep: number;
}

/**
 * `not-held`: the owner holds nothing under this name, because it released before or its lease ended. `heard`: how many
 * clients were told that it is free, where that was counted.
 */
export type ReleaseOutcome =
  { readonly outcome: 'released'; readonly heard?: number } | { readonly outcome: 'not-held' };

/** An owner that has `name` wants to hold it for `lease` ms from now, as often as it does. */
export interface Renewal {
  readonly name: string;
  readonly owner: OwnerId;
  readonly lease: number;
}

export interface RenewOutcome {
  readonly sent: Stopwatch;
  /**
   * For each renewal, in order: whether the owner still held, and so does for its lease; `undefined` where that could
   * not be found out for this one, though for others it could.
   */
  readonly held: readonly (boolean | undefined)[];
  /** Why it could not be found out, where it could not. */
  readonly failure?: LockError;
}

export interface LockState {
  readonly locked: boolean;
  /** How often the owner asked about holds it; 0 for anybody else. */
  readonly count: number;
  /** Milliseconds until the lease ends; -1 without end, -2 where nobody holds. */
  readonly remaining: number;
}

/**
 * The transitions of a lock that owners hold, whatever its kind. Each happens at once and as a whole. They reject with `LockUnavailableError`
 * when the backend cannot decide in time, and with `WrongKeyTypeError` when something else lives under the name. An
 * acquisition whose outcome stays unknown is undone by the backend, in the background, until that is confirmed. What
 * an owner asks for takes effect in the order it was asked, or not at all: a late request never overtakes the next.
 */
export interface LockOperations {
  acquire(request: AcquireRequest): Promise<AcquireOutcome>;
  /** What a failed request did is settled by the owner's next transition, which says what it wants. */
  hold(request: HoldRequest): Promise<HoldOutcome>;
  /** Where the outcome stays unknown, the backend goes on in the background. */
  release(request: ReleaseRequest): Promise<ReleaseOutcome>;
  /**
   * Resolves with whether the owner still had it. Where the outcome stays unknown, the backend goes on in the background,
   * and releases the lock if its time passes first.
   */
  leaveBehind(request: LeaveBehindRequest): Promise<boolean>;
  renew(renewals: readonly Renewal[]): Promise<RenewOutcome>;
  /** Ends the hold of whoever has it. Resolves with whether somebody had. */
  forceRelease(name: string): Promise<boolean>;
  inspect(name: string, owner: OwnerId | undefined): Promise<LockState>;
}

/**
 * Where fencing tokens come from. `clock`: the server's time in microseconds, or one above the last token where that is
 * more; goes on rising when the server has lost its data. `counter`: one above the last, as Redisson counts.
 */
export type Fences = 'clock' | 'counter';

/** A lock that gives a fencing token to each new owner, above every token given before under its name. */
export interface FencedLockOperations extends LockOperations {
  /**
   * The token given last, to whomever; 0 where none was given yet.
   * @throws WrongKeyTypeError when something else lives under the token's key
   */
  currentToken(name: string): Promise<bigint>;
}

export interface ReadRequest extends AcquireRequest {
  /** Whether writers that wait to go first go first; see {@link WriteRequest}. */
  readonly behindWriters?: boolean;
}

/**
 * The read half of a read-write lock. Owners of the write half may read as well: `hold` lets them in, and they may come
 * back after a release.
 */
export interface ReadLockOperations extends LockOperations {
  acquire(request: ReadRequest): ReturnType<LockOperations['acquire']>;
}

/** A writer that is to go before new readers while it waits. */
export interface WaitingWriter {
  /** One for all tries of one who waits, unlike the owner of each try. */
  readonly id: OwnerId;
  /** Milliseconds it is believed to wait for, unless it asks again or says that it does not. */
  readonly patience: number;
}

export interface WriteRequest extends AcquireRequest {
  /** Where the lock is busy, readers who let writers go first stay out from now on. Absent: nobody is kept out. */
  readonly waiting?: WaitingWriter | undefined;
}

/** The write half of a read-write lock. A writer that also reads goes on reading when it is released. */
export interface WriteLockOperations extends LockOperations {
  acquire(request: WriteRequest): ReturnType<LockOperations['acquire']>;
  /** Nobody waits under this id any more; readers who were kept out are told. */
  withdraw(name: string, waiter: OwnerId): Promise<void>;
}
