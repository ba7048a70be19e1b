import { lockChannel } from '../../keys/names.js';
import type { OwnerId } from '../../scope/owner.js';
import type {
  AcquireOutcome,
  AcquireRequest,
  HoldOutcome,
  HoldRequest,
  LockState,
  LockTransitions,
  ReleaseOutcome,
  ReleaseRequest,
  Renewal,
  RenewOutcome,
} from '../lock-backend.js';
import type { MemoryStore } from './store.js';

/** What a held lock is: one owner and how often it holds. */
export interface HeldLock {
  readonly owner: OwnerId;
  readonly count: number;
}

/** The reentrant lock in memory: the executable specification of `scripts/lock/*.lua`. */
export class MemoryLock implements LockTransitions {
  constructor(private readonly store: MemoryStore<HeldLock>) {}

  async acquire({ name, owner, lease }: AcquireRequest): Promise<AcquireOutcome> {
    const held = this.store.get(name);
    if (held && held.owner !== owner) {
      return { outcome: 'busy', remaining: this.store.remaining(name), holder: held.owner };
    }
    this.store.set(name, held ?? { owner, count: 1 }, lease);
    return { outcome: 'acquired', sent: this.store.stopwatch() };
  }

  async hold({ name, owner, count, lease }: HoldRequest): Promise<HoldOutcome> {
    if (this.store.get(name)?.owner !== owner) return { outcome: 'lost' };
    this.store.set(name, { owner, count }, lease);
    return { outcome: 'held', sent: this.store.stopwatch() };
  }

  async release({ name, owner }: ReleaseRequest): Promise<ReleaseOutcome> {
    if (this.store.get(name)?.owner !== owner) return 'not-held';
    await this.forceRelease(name);
    return 'released';
  }

  async renew(renewals: readonly Renewal[]): Promise<RenewOutcome> {
    const held = renewals.map(({ name, owner, lease }) => {
      const lock = this.store.get(name);
      if (lock?.owner !== owner) return false;
      this.store.set(name, lock, lease);
      return true;
    });
    return { sent: this.store.stopwatch(), held };
  }

  async forceRelease(name: string): Promise<boolean> {
    const existed = this.store.delete(name);
    if (existed) this.store.publish(lockChannel(name));
    return existed;
  }

  async inspect(name: string, owner: OwnerId | undefined): Promise<LockState> {
    const held = this.store.get(name);
    return {
      locked: held !== undefined,
      count: held !== undefined && held.owner === owner ? held.count : 0,
      remaining: this.store.remaining(name),
    };
  }
}
