import type { HoldOutcome } from '../lock-operations.js';
import type { AttachRequest, TakeOverOperations, TakeOverRequest } from '../take-over-operations.js';
import { type HeldExclusiveLock, lockTable } from './lock.js';
import type { MemoryStore, MemoryTable } from './memory-store.js';

/** Passes exclusive locks on: the executable specification of `scripts/shared/take-over.lua`. */
export class MemoryTakeOver implements TakeOverOperations {
  private readonly locks: MemoryTable<HeldExclusiveLock>;

  constructor(private readonly store: MemoryStore) {
    this.locks = lockTable(store);
  }

  detach(request: TakeOverRequest): Promise<HoldOutcome> {
    return this.takeOver(request);
  }

  attach(request: AttachRequest): Promise<HoldOutcome> {
    return this.takeOver(request);
  }

  private async takeOver({ name, from, to, lease }: TakeOverRequest): Promise<HoldOutcome> {
    const held = this.locks.find(name);
    if (held?.owner === to) this.locks.set(name, held, Math.max(lease, this.store.remaining(name)));
    else if (held?.owner === from) this.locks.set(name, { owner: to, count: 1 }, lease);
    else return { outcome: 'lost' };
    return { outcome: 'held', sent: this.store.stopwatch() };
  }
}
