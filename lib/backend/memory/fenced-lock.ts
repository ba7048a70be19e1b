import { lockToken } from '../../keys/lock-name.js';
import type { Fences, FencedLockOperations } from '../fenced-transitions.js';
import type { AcquireOutcome, AcquireRequest } from '../lock-operations.js';
import { MemoryLock } from './lock.js';
import { type MemoryStore, MemoryTable } from './memory-store.js';

/** The token given last under each token's key. */
export const tokenTable = (store: MemoryStore): MemoryTable<bigint> =>
  new MemoryTable(store, 'string of a fencing token');

/** The fenced lock in memory: the executable specification of `scripts/fenced-lock/*.lua`. */
export class MemoryFencedLock extends MemoryLock implements FencedLockOperations {
  private readonly tokens: MemoryTable<bigint>;

  constructor(
    store: MemoryStore,
    private readonly fences: Fences,
  ) {
    super(store);
    this.tokens = tokenTable(store);
  }

  override async acquire(request: AcquireRequest): Promise<AcquireOutcome> {
    const { name, owner } = request;
    const held = this.locks.get(name);
    if (held && held.owner !== owner) return this.busy(name, held);
    const token = lockToken(name);
    const last = this.tokens.get(token);
    // An owner that asks again keeps the token it was given: nobody else is given one meanwhile.
    const fence = held && last !== undefined ? last : this.above(last ?? 0n);
    this.tokens.set(token, fence);
    return { ...this.taken(request), fence };
  }

  async currentToken(name: string): Promise<bigint> {
    return this.tokens.get(lockToken(name)) ?? 0n;
  }

  private above(last: bigint): bigint {
    const micros = this.fences === 'clock' ? BigInt(Math.floor(this.store.now() * 1000)) : 0n;
    return last < micros ? micros : last + 1n;
  }
}
