import { lockChannel } from '../../keys/names.js';
import type { OwnerId } from '../../scope/owner.js';
import type {
  AcquireOutcome,
  AcquireRequest,
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

  async acquire({ name, owner, count, lease }: AcquireRequest): Promise<AcquireOutcome> {
    const held = this.store.get(name);
    const own = held?.owner === owner ? held.count : 0;
    const entitled = own === 0 ? count === 1 && !held : own === count || own === count - 1;
    if (entitled) {
      this.store.set(name, { owner, count }, lease);
      return { outcome: 'acquired', sentAt: this.store.now() };
    }
    if (!held || count > 1) return { outcome: 'lost' };
    return { outcome: 'busy', remaining: this.store.remaining(name), holder: held.owner };
  }

  async release({ name, owner, count, lease }: ReleaseRequest): Promise<ReleaseOutcome> {
    const held = this.store.get(name);
    if (held?.owner !== owner) return 'not-held';
    if (count === 0) {
      await this.forceRelease(name);
      return 'released';
    }
    if (held.count > count) this.store.set(name, { owner, count }, lease);
    return 'still-held';
  }

  async renew(renewals: readonly Renewal[], lease: number): Promise<RenewOutcome> {
    const held = renewals.map(({ name, owner }) => {
      const lock = this.store.get(name);
      if (lock?.owner !== owner) return false;
      this.store.set(name, lock, lease);
      return true;
    });
    return { sentAt: this.store.now(), held };
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
