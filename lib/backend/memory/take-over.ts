import type { HoldOutcome } from '../lock-operations.js';
import type { ExclusiveKind, TakeOverOperations, TakeOverRequest } from '../take-over-operations.js';
import type { MemoryLock } from './lock.js';

/** Passes exclusive locks on: the executable specification of `scripts/shared/take-over.lua`. */
export class MemoryTakeOver implements TakeOverOperations {
  /** @param locks The locks of each kind, which tell those that wait. */
  constructor(private readonly locks: Readonly<Record<ExclusiveKind, MemoryLock>>) {}

  detach(request: TakeOverRequest): Promise<HoldOutcome> {
    return this.takeOver(request);
  }

  attach(request: TakeOverRequest): Promise<HoldOutcome> {
    return this.takeOver(request);
  }

  private async takeOver({ kind, ...request }: TakeOverRequest): Promise<HoldOutcome> {
    return this.locks[kind].takeOver(request, kind === 'spin');
  }
}
