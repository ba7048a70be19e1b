import type { PermitId, PermitIds } from '../context/permit-ids.js';
import type { AcquiredPermits } from '../waiting/permit-attempts.js';
import { GrantedPermit, type PermitKeeper } from './granted-permit.js';
import type { LockBackend } from '../backend/lock-backend.js';
import type { LockEvents } from '../events/lock-events.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import type { PermitsOut } from './permits-out.js';

/** The services that granted permits need. */
export interface GrantedPermitServices {
  readonly backend: LockBackend;
  readonly scheduler: MonotonicScheduler;
  readonly events: LockEvents;
  /** Permits with ids that were granted in this process. */
  readonly permitsOut: PermitsOut;
}

/** The permits of one semaphore, from their grant in this process to their release. */
export class GrantedPermits implements PermitKeeper {
  constructor(
    private readonly runtime: GrantedPermitServices,
    /** The semaphore's name. */
    private readonly name: string,
  ) {}

  add({ ids, sent, lease }: AcquiredPermits): [GrantedPermit, ...GrantedPermit[]] {
    const { scheduler, permitsOut } = this.runtime;
    const granted = (id: PermitId): GrantedPermit => {
      const permit = new GrantedPermit(scheduler, { name: this.name, id, sent, lease }, this);
      permitsOut.add(permit);
      return permit;
    };
    const [first, ...more] = ids;
    return [granted(first), ...more.map(granted)];
  }

  find(id: PermitId): GrantedPermit | undefined {
    return this.runtime.permitsOut.find(this.name, id);
  }

  release({ id }: GrantedPermit): Promise<boolean> {
    return this.releaseOne(id);
  }

  /** Resolves with true if the permit was held on the server. */
  async releaseOne(id: PermitId): Promise<boolean> {
    const permit = this.find(id);
    permit?.letGo();
    try {
      return (await this.operations.release(this.name, id)) === 'released';
    } finally {
      // The permit is no longer held, or its release continues in the background.
      if (permit) this.forget(permit);
    }
  }

  /** Releases all or none. Resolves with true if all were held on the server. */
  async releaseAll(ids: PermitIds): Promise<boolean> {
    const permits = ids.map((id) => this.find(id)).filter((permit) => permit !== undefined);
    const letGo = permits.filter(({ isHeld }) => isHeld);
    for (const permit of letGo) permit.letGo();
    const forgetAll = (): void => letGo.forEach((permit) => this.forget(permit));
    try {
      const isReleased = (await this.operations.releaseAll(this.name, ids)) === 'released';
      if (isReleased) forgetAll();
      else for (const permit of letGo) permit.takeBack();
      return isReleased;
    } catch (error) {
      // The release continues in the background.
      forgetAll();
      throw error;
    }
  }

  async releaseQuietly(permit: GrantedPermit): Promise<void> {
    if (!permit.isHeld) return;
    const { isLost } = permit;
    try {
      if ((await permit.release()) === 'released' || isLost) return;
      this.emitLoss(permit, 'the permit was no longer held: its lease had ended, or the semaphore was deleted');
    } catch (error) {
      this.runtime.events.emit({ type: 'permits-release-failed', lockName: this.name, permits: 1, error });
    }
  }

  /** Emits an event when the permit is lost. */
  tellOfLoss(permit: GrantedPermit): void {
    permit.onLoss((reason) => this.emitLoss(permit, reason));
  }

  private get operations(): LockBackend['permitExpirableSemaphore'] {
    return this.runtime.backend.permitExpirableSemaphore;
  }

  private forget(permit: GrantedPermit): void {
    permit.end();
    this.runtime.permitsOut.delete(permit);
  }

  private emitLoss({ id }: GrantedPermit, reason: string): void {
    const remedy =
      'give the permit a longer lease or none, and check for code that releases it or deletes the semaphore';
    this.runtime.events.emit({ type: 'lost', lockName: this.name, owner: id, reason, remedy });
  }
}
