import type { OwnerId } from '../../context/owner-ids.js';
import type {
  AcquireOutcome,
  AcquireRequest,
  ForceReleaseRequest,
  HoldOutcome,
  HoldRequest,
  LeaveBehindRequest,
  LockState,
  LockOperations,
  ReleaseOutcome,
  ReleaseRequest,
  Renewal,
  RenewOutcome,
  Fencing,
  FencedLockOperations,
} from '../lock-operations.js';
import type { Stopwatch } from '../../time/monotonic-scheduler.js';
import type { TakeOverRequest } from '../take-over-operations.js';
import type { WaitingEntry } from '../waiting-entry.js';
import { leftBehind } from './left-behind.js';
import { type MemoryStore, MemoryTable } from './memory-store.js';
import { WaitingClients } from './waiting-clients.js';
import { lockChannel, lockToken } from '../../keys/redisson-keys.js';

/** State of a held lock: its owner and hold count. */
export interface HeldExclusiveLock {
  readonly owner: OwnerId;
  readonly count: number;
}

/** The table of all exclusive kinds of locks: they exclude each other. */
export const lockTable = (store: MemoryStore): MemoryTable<HeldExclusiveLock> => new MemoryTable(store, 'hash');

/** A lease as a message to those that wait: a number that no release has. */
export const leaseText = (ms: number): string => String(Math.max(2, ms));

/** Whether a lease ends sooner than a time to live of the store; -1: that has no end. */
export const isShorter = (lease: number, before: number): boolean => before === -1 || lease < before;

/** The reentrant lock in memory: the executable specification of `scripts/lock/*.lua`. */
export class MemoryLock implements LockOperations {
  protected readonly locks: MemoryTable<HeldExclusiveLock>;
  protected readonly waiting: WaitingClients;

  constructor(protected readonly store: MemoryStore) {
    this.locks = lockTable(store);
    this.waiting = new WaitingClients(store);
  }

  async acquire({ name, owner, lease }: AcquireRequest): Promise<AcquireOutcome> {
    const held = this.locks.get(name);
    return held && held.owner !== owner ? this.busy(name, held) : this.taken({ name, owner, lease });
  }

  protected busy(name: string, held: HeldExclusiveLock): AcquireOutcome {
    return { outcome: 'busy', remaining: this.store.remaining(name), holder: held.owner };
  }

  protected taken({ name, owner, lease }: AcquireRequest): { readonly outcome: 'acquired'; readonly sent: Stopwatch } {
    this.locks.set(name, this.locks.get(name) ?? { owner, count: 1 }, lease);
    return { outcome: 'acquired', sent: this.store.stopwatch() };
  }

  async hold({ name, owner, count, lease, silent }: HoldRequest): Promise<HoldOutcome> {
    if (this.locks.find(name)?.owner !== owner) return { outcome: 'lost' };
    return this.setLease(name, { owner, count }, lease, silent);
  }

  /** Makes the owner `to` the holder of a lock that `from` holds. */
  takeOver({ name, from, to, lease }: Omit<TakeOverRequest, 'kind'>, silent?: boolean): HoldOutcome {
    const held = this.locks.find(name);
    if (held?.owner === to) return this.setLease(name, held, Math.max(lease, this.store.remaining(name)), silent);
    if (held?.owner !== from) return { outcome: 'lost' };
    return this.setLease(name, { owner: to, count: 1 }, lease, silent);
  }

  /** Lets the lock last for `lease` ms from now. */
  private setLease(name: string, held: HeldExclusiveLock, lease: number, silent?: boolean): HoldOutcome {
    const before = this.store.remaining(name);
    this.locks.set(name, held, lease);
    if (isShorter(lease, before)) this.tellLease(name, leaseText(lease), silent);
    return { outcome: 'held', sent: this.store.stopwatch() };
  }

  /** Tells those that wait that the lock ends sooner than they may know. */
  protected tellLease(name: string, lease: string, silent = false): void {
    if (!silent || this.waiting.count(name) > 0) this.store.publish(lockChannel(name), lease);
  }

  async release(request: ReleaseRequest): Promise<ReleaseOutcome> {
    return this.released(request);
  }

  protected released({ name, owner, silent, again }: Omit<ReleaseRequest, 'lease'>): ReleaseOutcome {
    if (this.locks.find(name)?.owner !== owner) return { outcome: 'not-held' };
    const passed = silent ? undefined : this.passOn(name, again);
    if (passed) return passed;
    // A silent release wakes only clients that wait in turn, which would sleep until their next safety poll.
    const heard = this.free(name, silent && this.waiting.count(name) === 0);
    const asking = heard > 0 ? this.waiting.others(name) + this.waiting.count(name) : 0;
    return { outcome: 'released', heard, asking };
  }

  /** Gives a held lock to the client that has waited longest, or to that of `again`. `undefined`: to none. */
  private passOn(name: string, again: WaitingEntry | undefined): ReleaseOutcome | undefined {
    const { waiting, locks } = this;
    if (waiting.others(name) > 0) return undefined;
    const give = (owner: OwnerId, lease: number): void => locks.set(name, { owner, count: 1 }, lease);
    if (waiting.next(name, give)) {
      if (again) waiting.add(name, again);
      return { outcome: 'passed-on' };
    }
    if (!again) return undefined;
    give(again.owner, again.lease);
    return { outcome: 'kept', sent: this.store.stopwatch() };
  }

  leaveBehind(request: LeaveBehindRequest): Promise<boolean> {
    return leftBehind(this, request);
  }

  async renew(renewals: readonly Renewal[]): Promise<RenewOutcome> {
    const held = renewals.map(({ name, owner, lease }) => {
      const lock = this.locks.find(name);
      if (lock?.owner !== owner) return false;
      this.locks.set(name, lock, lease);
      return true;
    });
    return { sent: this.store.stopwatch(), held };
  }

  async forceRelease({ name, silent }: ForceReleaseRequest): Promise<boolean> {
    if (!this.locks.get(name)) return false;
    this.free(name, silent);
    return true;
  }

  /** @returns Number of clients that received the announcement. */
  private free(name: string, silent = false): number {
    this.store.delete(name);
    return silent ? 0 : this.store.publish(lockChannel(name));
  }

  async inspect(name: string, owner: OwnerId | undefined): Promise<LockState> {
    const held = this.locks.get(name);
    return {
      locked: held !== undefined,
      count: held !== undefined && held.owner === owner ? held.count : 0,
      remaining: this.store.remaining(name),
    };
  }
}

/** Milliseconds for which a token of the clock is kept after the lease. */
const TOKEN_LASTS = 7 * 24 * 3600 * 1000;

/** The last token given, by the token's key. */
export const tokenTable = (store: MemoryStore): MemoryTable<bigint> =>
  new MemoryTable(store, 'string of a fencing token');

/** The fenced lock in memory: the executable specification of `scripts/fenced-lock/*.lua`. */
export class MemoryFencedLock extends MemoryLock implements FencedLockOperations {
  private readonly tokens: MemoryTable<bigint>;

  constructor(
    store: MemoryStore,
    private readonly fencing: Fencing,
  ) {
    super(store);
    this.tokens = tokenTable(store);
  }

  override async acquire(request: AcquireRequest): Promise<AcquireOutcome> {
    const { name, owner, lease } = request;
    const held = this.locks.get(name);
    if (held && held.owner !== owner) return this.busy(name, held);
    const token = lockToken(name);
    const last = this.tokens.get(token);
    // An owner that asks again keeps its token: no other owner was given one in between.
    const fence = held && last !== undefined ? last : this.above(last ?? 0n);
    // A token that the clock has reached can be forgotten: the next one is above it anyway.
    const isOfClock = this.fencing === 'clock' && fence <= this.micros;
    this.tokens.set(token, fence, isOfClock ? lease + TOKEN_LASTS : Number.POSITIVE_INFINITY);
    return { ...this.taken(request), fence };
  }

  async currentToken(name: string): Promise<bigint> {
    return this.tokens.get(lockToken(name)) ?? 0n;
  }

  private above(last: bigint): bigint {
    const micros = this.fencing === 'clock' ? this.micros : 0n;
    return last < micros ? micros : last + 1n;
  }

  private get micros(): bigint {
    return BigInt(Math.floor(this.store.now() * 1000));
  }
}
