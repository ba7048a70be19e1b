import type { OwnerContext } from '../context/owner-context.js';
import { AsyncMutex } from '../concurrency/async-mutex.js';
import type { Grant } from '../holds/grant.js';
import type { LockFamily } from '../holds/lock-kind.js';

/** Under which name regions keep what they keep about a lock. */
export const seatName = (family: LockFamily, name: string): string => `${family} ${name}`;

/** What one region keeps about one lock. */
export class ContextLockState {
  /** Callbacks that lock inside the region, one at a time. */
  readonly sectionMutex: AsyncMutex;
  /** Acquisitions inside a scope, one at a time, so that the second finds what the first was granted. */
  readonly acquireMutex: AsyncMutex;
  /** What the scope holds. */
  grant: Grant | undefined;

  constructor(onIdle: () => void) {
    this.sectionMutex = new AsyncMutex(onIdle);
    this.acquireMutex = new AsyncMutex(onIdle);
  }

  /** What the scope holds and may go on with. What it lost it may take again, as a thread may. */
  get joinableGrant(): Grant | undefined {
    return this.grant?.isJoinable && !this.grant.isLost ? this.grant : undefined;
  }

  get isIdle(): boolean {
    return !this.joinableGrant && this.sectionMutex.isIdle && this.acquireMutex.isIdle;
  }
}

/** The seats of all regions on the locks of one connection; a seat that nothing uses any more is gone. */
export class ContextLockStates {
  private readonly byContext = new WeakMap<OwnerContext, Map<string, ContextLockState>>();

  find(region: OwnerContext, name: string): ContextLockState | undefined {
    return this.byContext.get(region)?.get(name);
  }

  take(region: OwnerContext, name: string): ContextLockState {
    const found = this.find(region, name);
    if (found) return found;
    const seats = this.byContext.get(region) ?? new Map<string, ContextLockState>();
    this.byContext.set(region, seats);
    const seat = new ContextLockState(() => this.removeIfIdle(region, name));
    seats.set(name, seat);
    return seat;
  }

  /** To be called when something about the seat has ended. */
  removeIfIdle(region: OwnerContext, name: string): void {
    if (this.find(region, name)?.isIdle) this.byContext.get(region)?.delete(name);
  }
}

/** Owners that write and read as well: two grants of one owner id, one for each half of the lock. */
export class ReadWritePairs {
  private readonly states = new WeakMap<Grant, ContextLockState>();
  private readonly writes = new WeakMap<Grant, Grant>();

  /** Where the writer's reads are admitted, one at a time, so that the second finds what the first was granted. */
  stateOf(write: Grant): ContextLockState {
    const seat = this.states.get(write) ?? new ContextLockState(() => {});
    this.states.set(write, seat);
    return seat;
  }

  add(write: Grant, read: Grant): void {
    this.stateOf(write).grant = read;
    this.writes.set(read, write);
  }

  /** By what the writer reads as well and may go on reading. */
  readOf(write: Grant): Grant | undefined {
    return this.states.get(write)?.joinableGrant;
  }

  /** By what the reader writes as well and may go on writing. */
  writeOf(read: Grant): Grant | undefined {
    const write = this.writes.get(read);
    return write?.isJoinable && !write.isLost ? write : undefined;
  }
}
