import type { Grant } from '../holds/grant.js';
import { ContextLockState } from './context-lock-state.js';

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
