import { inspect } from 'node:util';
import {
  GrantedPermit,
  type PermitGrantServices,
  type PermitKeeper,
  permitsOf,
  type PermitsOut,
  REMEDY,
} from './granted-permit.js';
import type { Permit } from './permit.js';
import type { PermitId, PermitIds } from '../context/permit-ids.js';
import type { AcquiredPermits } from '../waiting/permit-attempts.js';
import type { LockBackend } from '../backend/lock-backend.js';
import { endHold } from '../events/hold-tracing.js';
import type { HowReleased } from '../events/life-cycle-events.js';
import type { GrantRegistry } from '../holds/grant-registry.js';
import type { Grant } from '../holds/grant.js';

/**
 * A permit that is renewed, as its acquirer has it. The watchdog refers to the permit, and to this only once its id or its
 * signal was read: without these, a permit whose handle was collected can never be released.
 */
class PermitHandle implements Permit {
  constructor(private readonly permit: GrantedPermit) {}

  get id(): string {
    this.permit.handle = this;
    return this.permit.id;
  }

  get name(): string {
    return this.permit.name;
  }

  get isHeld(): boolean {
    return this.permit.isHeld;
  }

  get isReleased(): boolean {
    return this.permit.isReleased;
  }

  get remaining(): number {
    return this.permit.remaining;
  }

  get signal(): AbortSignal {
    this.permit.handle = this;
    return this.permit.signal;
  }

  assertHeld(): void {
    this.permit.assertHeld();
  }

  release(): Promise<'released' | 'expired'> {
    return this.permit.release();
  }

  toString(): string {
    return this.id;
  }

  toJSON(): string {
    return this.id;
  }

  [inspect.custom](): string {
    return inspect(this.permit);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.permit[Symbol.asyncDispose]();
  }
}

/** The services that granted permits need. */
export interface GrantedPermitServices extends PermitGrantServices {
  /** Permits with ids that were granted in this process. */
  readonly permitsOut: PermitsOut;
  /** Knows which objects were collected, and the code that acquires. */
  readonly grants: GrantRegistry<Grant>;
}

/** The permits of one semaphore, from their grant in this process to their release. */
export class GrantedPermits implements PermitKeeper {
  constructor(
    private readonly runtime: GrantedPermitServices,
    /** The semaphore's name. */
    private readonly name: string,
  ) {}

  /**
   * @param isRenewed Whether the watchdog renews them.
   * @param acquiredAt The line of code that acquired them.
   */
  add(
    { ids, sent, lease }: AcquiredPermits,
    isRenewed: boolean,
    acquiredAt?: string,
  ): [GrantedPermit, ...GrantedPermit[]] {
    const { permitsOut } = this.runtime;
    const granted = (id: PermitId): GrantedPermit => {
      const permit = new GrantedPermit(this.runtime, { name: this.name, id, sent, lease }, this);
      permitsOut.add(permit);
      if (isRenewed) {
        permit.renewBy({ lease, acquiredAt });
        this.tellOfLoss(permit);
      }
      return permit;
    };
    const [first, ...more] = ids;
    return [granted(first), ...more.map(granted)];
  }

  /** The permits as their acquirer has them: it is noticed when it has lost one that is renewed. */
  handedOut([first, ...more]: [GrantedPermit, ...GrantedPermit[]]): [Permit, ...Permit[]] {
    return [this.handleOf(first), ...more.map((permit) => this.handleOf(permit))];
  }

  private handleOf(permit: GrantedPermit): Permit {
    if (!permit.isRenewed) return permit;
    const handle = new PermitHandle(permit);
    const onCollected = (): void => {
      if (permit.forget()) this.tellRelease(permit.id, permit, 'abandoned');
    };
    this.runtime.grants.whenCollected(handle, { onCollected });
    return handle;
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
      const isReleased = (await this.operations.release(this.name, id)) === 'released';
      if (isReleased) this.tellRelease(id, permit, 'released');
      return isReleased;
    } catch (error) {
      this.tellRelease(id, permit, 'unconfirmed');
      throw error;
    } finally {
      // The permit is no longer held, or its release continues in the background.
      if (permit) this.forget(permit);
    }
  }

  /** Releases all or none. Resolves with true if all were held on the server. */
  async releaseAll(ids: PermitIds): Promise<boolean> {
    const permits = ids.map((id) => this.find(id)).filter((permit) => permit !== undefined);
    const letGo = permits.filter(({ isReleased }) => !isReleased);
    for (const permit of letGo) permit.letGo();
    const forgetAll = (): void => letGo.forEach((permit) => this.forget(permit));
    try {
      const isReleased = (await this.operations.releaseAll(this.name, ids)) === 'released';
      if (isReleased) {
        for (const id of ids) this.tellRelease(id, this.find(id), 'released');
        forgetAll();
      } else for (const permit of letGo) permit.takeBack();
      return isReleased;
    } catch (error) {
      // The release continues in the background.
      for (const permit of letGo) this.tellRelease(permit.id, permit, 'unconfirmed');
      forgetAll();
      throw error;
    }
  }

  async releaseQuietly(permit: GrantedPermit): Promise<void> {
    if (permit.isReleased) return;
    const isLost = permit.loss !== undefined;
    try {
      if ((await permit.release()) === 'released' || isLost) return;
      this.emitLoss(permit, 'the permit was no longer held: its lease had ended, or the semaphore was deleted', REMEDY);
    } catch (error) {
      this.runtime.events.emit({ type: 'permits-release-failed', lockName: this.name, permits: 1, error });
    }
  }

  /** Emits an event when the permit is lost. */
  tellOfLoss(permit: GrantedPermit): void {
    permit.onLoss((reason, remedy) => this.emitLoss(permit, reason, remedy));
  }

  private get operations(): LockBackend['permitExpirableSemaphore'] {
    return this.runtime.backend.permitExpirableSemaphore;
  }

  private forget(permit: GrantedPermit): void {
    permit.end();
    this.runtime.permitsOut.delete(permit);
  }

  private tellRelease(owner: PermitId, permit: GrantedPermit | undefined, how: HowReleased): void {
    const { events } = this.runtime;
    const fields = {
      ...permitsOf(this.runtime, this.name),
      owner,
      heldFor: permit?.heldFor,
      how,
    };
    if (events.hears('released')) events.emit({ type: 'released', ...fields });
    if (permit) endHold(permit);
  }

  private emitLoss({ id }: GrantedPermit, reason: string, remedy: string): void {
    const { events } = this.runtime;
    events.emit({ type: 'lost', ...permitsOf(this.runtime, this.name), owner: id, reason, remedy });
  }
}
