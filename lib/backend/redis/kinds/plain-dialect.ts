import { lockChannel } from '../../../keys/lock-name.js';
import type { OwnerId } from '../../../context/ids.js';
import type { AcquireRequest, HoldRequest, Renewal } from '../../lock-operations.js';
import type { PublishCommand, ScriptExecutor } from '../commands/script-executor.js';
import type {
  AcquireReply,
  ForceReleaseReply,
  HoldReply,
  InspectReply,
  RequestLimits,
  LockScripts,
  ReleaseReply,
  RenewReply,
} from './lock-scripts.js';
import { scripts } from '../scripts/scripts.generated.js';

/** The reentrant lock on Redisson's data: hash `name`, field `owner`, value hold count. */
export class PlainLockScripts implements LockScripts {
  /** @param isAnnounced Whether waiters are told of a release; Redisson's spin lock tells nobody. */
  constructor(
    protected readonly commands: ScriptExecutor,
    private readonly isAnnounced = true,
  ) {}

  keyOf(name: string): string {
    return name;
  }

  fieldOf(_name: string, owner: OwnerId): string {
    return owner;
  }

  acquire({ name, owner, lease }: AcquireRequest, { notAfter, deadline }: RequestLimits): Promise<AcquireReply> {
    const args = { owner, lease, notAfter };
    return this.commands.run(scripts.lock.acquire, { lock: name }, args, deadline, name);
  }

  hold({ name, owner, count, lease }: HoldRequest, { notAfter, deadline }: RequestLimits): Promise<HoldReply> {
    const args = { owner, count, lease, notAfter };
    return this.commands.run(scripts.lock.hold, { lock: name }, args, deadline, name);
  }

  renew(renewals: readonly Renewal[], { notAfter, deadline }: RequestLimits): Promise<RenewReply> {
    const locks = renewals.map(({ name }) => name);
    const holders = renewals.flatMap(({ owner, lease }) => [owner, String(lease)]);
    return this.commands.run(scripts.lock.renew, { locks }, { notAfter, holders }, deadline);
  }

  release(name: string, owner: OwnerId, deadline: number): Promise<ReleaseReply> {
    const args = { owner, ...this.announcing(name) };
    return this.commands.run(scripts.lock.release, { lock: name }, args, deadline, name);
  }

  forceRelease(name: string, { notAfter, deadline }: RequestLimits): Promise<ForceReleaseReply> {
    const args = { ...this.announcing(name), notAfter };
    return this.commands.run(scripts.lock.forceRelease, { lock: name }, args, deadline, name);
  }

  inspect(name: string, owner: OwnerId | undefined, deadline: number): Promise<InspectReply> {
    return this.commands.run(scripts.lock.inspect, { lock: name }, { owner: owner ?? '' }, deadline, name);
  }

  /** Where a release is announced, and by which command; by none where it is not. */
  protected announcing(name: string): { channel: string; publish: PublishCommand | '' } {
    const channel = lockChannel(name);
    return { channel, publish: this.isAnnounced ? this.commands.publishCommand(channel) : '' };
  }
}
