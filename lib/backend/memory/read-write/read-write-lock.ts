import type { OwnerId } from '../../../context/owner-ids.js';
import type {
  AcquireOutcome,
  ForceReleaseRequest,
  HoldOutcome,
  HoldRequest,
  LeaveBehindRequest,
  LockState,
  ReleaseOutcome,
  ReleaseRequest,
  Renewal,
  RenewOutcome,
  ReadRequest,
  ReadLockOperations,
  WaitingWriter,
  WriteRequest,
  WriteLockOperations,
} from '../../lock-operations.js';
import { leftBehind } from '../left-behind.js';
import type { ReadWriteData, HeldReadWriteLock } from './read-write-data.js';

/** The read half of a read-write lock in memory: the executable specification of `scripts/read-lock/*.lua`. */
export class MemoryReadLock implements ReadLockOperations {
  constructor(private readonly data: ReadWriteData) {}

  async acquire({ name, owner, lease, behindWriters = false }: ReadRequest): Promise<AcquireOutcome> {
    const { locks, store } = this.data;
    const held = locks.get(name);
    if (held?.writer) return { outcome: 'busy', remaining: store.remaining(name), holder: held.writer.owner };
    const first = behindWriters && !held?.readers.has(owner) ? this.data.waitingWriter(name) : undefined;
    if (first) return { outcome: 'reserved', remaining: Math.ceil(first.remaining), next: first.id, isWriter: true };
    this.data.setTimeouts(name, owner, 1, lease);
    const readers = new Map(held?.readers).set(owner, 1);
    locks.set(name, { writer: undefined, readers }, Math.max(store.remaining(name), lease));
    return { outcome: 'acquired', sent: store.stopwatch() };
  }

  async hold({ name, owner, count, lease }: HoldRequest): Promise<HoldOutcome> {
    const { locks, store } = this.data;
    const held = locks.find(name);
    const before = held?.readers.get(owner) ?? 0;
    const writes = held?.writer?.owner === owner;
    if (!held || (before === 0 && !writes)) return { outcome: 'lost' };
    this.data.setTimeouts(name, owner, count, lease);
    this.data.deleteTimeouts(name, owner, count, before);
    const readers = new Map(held.readers).set(owner, count);
    const ttl = writes ? Math.max(store.remaining(name), lease) : this.data.longestRead(name, readers);
    this.data.keep(name, { ...held, readers }, ttl);
    return { outcome: 'held', sent: store.stopwatch() };
  }

  leaveBehind(request: LeaveBehindRequest): Promise<boolean> {
    return leftBehind(this, request);
  }

  async renew(renewals: readonly Renewal[]): Promise<RenewOutcome> {
    const { locks, store } = this.data;
    const renewed = renewals.map(({ name, owner, lease }) => {
      const held = locks.find(name);
      const reads = held?.readers.get(owner) ?? 0;
      if (!held || reads === 0) return false;
      locks.set(name, held, Math.max(store.remaining(name), lease));
      this.data.setTimeouts(name, owner, reads, lease);
      return true;
    });
    return { sent: store.stopwatch(), held: renewed };
  }

  async release({ name, owner }: ReleaseRequest): Promise<ReleaseOutcome> {
    const { locks, store } = this.data;
    const held = locks.find(name);
    const reads = held?.readers.get(owner) ?? 0;
    if (!held || reads === 0) {
      if (!store.entry(name)) this.data.publish(name);
      return { outcome: 'not-held' };
    }
    this.data.deleteTimeouts(name, owner, 0, reads);
    const readers = new Map([...held.readers].filter(([reader]) => reader !== owner));
    const longest = this.data.longestRead(name, readers);
    if (held.writer) locks.set(name, { ...held, readers });
    else if (longest > 0) this.data.keep(name, { ...held, readers }, longest);
    // Readers without a living time-out are dead, and keep no other owner out.
    else this.data.free(name);
    return { outcome: 'released' };
  }

  async forceRelease({ name }: ForceReleaseRequest): Promise<boolean> {
    const held = this.data.locks.get(name);
    if (!held || held.writer) return false;
    this.data.free(name);
    return true;
  }

  async inspect(name: string, owner: OwnerId | undefined): Promise<LockState> {
    const held = this.data.locks.get(name);
    return {
      locked: held !== undefined && held.readers.size > 0,
      count: (owner !== undefined && held?.readers.get(owner)) || 0,
      remaining: this.data.store.remaining(name),
    };
  }
}

/** The write half of a read-write lock in memory: the executable specification of `scripts/write-lock/*.lua`. */
export class MemoryWriteLock implements WriteLockOperations {
  constructor(private readonly data: ReadWriteData) {}

  async acquire({ name, owner, lease, waiting }: WriteRequest): Promise<AcquireOutcome> {
    const { locks, store } = this.data;
    const held = locks.get(name);
    if (held && held.writer?.owner !== owner) {
      if (waiting) this.data.announce(name, waiting);
      const [reader = ''] = held.readers.keys();
      return { outcome: 'busy', remaining: store.remaining(name), holder: held.writer?.owner ?? reader };
    }
    locks.set(name, held ?? { writer: { owner, count: 1 }, readers: new Map() }, lease);
    return { outcome: 'acquired', sent: store.stopwatch() };
  }

  async hold({ name, owner, count, lease }: HoldRequest): Promise<HoldOutcome> {
    const held = this.heldBy(owner, name);
    if (!held) return { outcome: 'lost' };
    this.data.keep(name, { ...held, writer: { owner, count } }, this.needed(name, held, lease));
    return { outcome: 'held', sent: this.data.store.stopwatch() };
  }

  leaveBehind(request: LeaveBehindRequest): Promise<boolean> {
    return leftBehind(this, request);
  }

  async renew(renewals: readonly Renewal[]): Promise<RenewOutcome> {
    const renewed = renewals.map(({ name, owner, lease }) => {
      const held = this.heldBy(owner, name);
      if (held) this.data.locks.set(name, held, this.needed(name, held, lease));
      return held !== undefined;
    });
    return { sent: this.data.store.stopwatch(), held: renewed };
  }

  async release({ name, owner }: ReleaseRequest): Promise<ReleaseOutcome> {
    const { locks, store } = this.data;
    const held = this.heldBy(owner, name);
    if (!held) {
      if (!store.entry(name)) this.data.publish(name);
      return { outcome: 'not-held' };
    }
    const longest = this.data.longestRead(name, held.readers);
    if (longest > 0) {
      // The writer goes on reading, now beside others.
      locks.set(name, { ...held, writer: undefined }, longest);
      this.data.publish(name);
    } else {
      this.data.free(name);
    }
    return { outcome: 'released' };
  }

  async forceRelease({ name }: ForceReleaseRequest): Promise<boolean> {
    if (!this.data.locks.get(name)?.writer) return false;
    this.data.free(name);
    return true;
  }

  async inspect(name: string, owner: OwnerId | undefined): Promise<LockState> {
    const writer = this.data.locks.get(name)?.writer;
    return {
      locked: writer !== undefined,
      count: writer !== undefined && writer.owner === owner ? writer.count : 0,
      remaining: this.data.store.remaining(name),
    };
  }

  async announce(name: string, writer: WaitingWriter): Promise<void> {
    this.data.announce(name, writer);
  }

  async withdraw(name: string, { id }: WaitingWriter): Promise<void> {
    if (this.data.withdraw(name, id) && !this.data.locks.find(name)?.writer) this.data.publish(name);
  }

  private heldBy(owner: OwnerId, name: string): HeldReadWriteLock | undefined {
    const held = this.data.locks.find(name);
    return held?.writer?.owner === owner ? held : undefined;
  }

  /** Milliseconds for which the lock of a writer lasts: its lease, or until its last read ends if that is later. */
  private needed(name: string, { readers }: HeldReadWriteLock, lease: number): number {
    return Math.max(lease, this.data.longestRead(name, readers));
  }
}
