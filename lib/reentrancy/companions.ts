import type { Grant } from '../holds/grant.js';
import { ContextLockState } from './context-lock-state.js';

/** Owners that write and read as well: two grants of one owner id, one for each half of the lock. */
export class ReadWritePairs {
  private readonly seats = new WeakMap<Grant, ContextLockState>();
  private readonly writes = new WeakMap<Grant, Grant>();

  /** Where the writer's reads are admitted, one at a time, so that the second finds what the first was granted. */
  seat(write: Grant): ContextLockState {
    const seat = this.seats.get(write) ?? new ContextLockState(() => {});
    this.seats.set(write, seat);
    return seat;
  }

  add(write: Grant, read: Grant): void {
    this.seat(write).grant = read;
    this.writes.set(read, write);
  }

  /** By what the writer reads as well and may go on reading. */
  readOf(write: Grant): Grant | undefined {
    return this.seats.get(write)?.usable;
  }

  /** By what the reader writes as well and may go on writing. */
  writeOf(read: Grant): Grant | undefined {
    const write = this.writes.get(read);
    return write?.isJoinable && !write.isLost ? write : undefined;
  }
}
