import { partsOfGroupLock } from '../../../keys/group-field.js';
import type { OwnerId } from '../../../context/owner-ids.js';
import type { AcquireRequest, ForceReleaseRequest, HoldRequest, Renewal } from '../../lock-operations.js';
import { wrongKeyType } from '../../../errors.js';
import type { RequestLimits } from '../../commands/deadline-request.js';
import { type Announcement, announcementOn, type ScriptExecutor } from '../../commands/script-executor.js';
import type {
  AcquireReply,
  ForceReleaseReply,
  HoldReply,
  InspectReply,
  LockScripts,
  Release,
  ReleaseReply,
  RenewReply,
} from '../lock/lock-scripts.js';
import { type Written, writtenHold } from '../../commands/written.js';
import { scripts } from '../../scripts/scripts.generated.js';
import { lockChannel } from '../../../keys/redisson-keys.js';

/**
 * Several fields of a group as one lock, on the layout of Redisson's group multi-lock. Only the server's clock counts.
 */
export class GroupLockScripts implements LockScripts {
  constructor(private readonly commands: ScriptExecutor) {}

  keyOf(name: string): string {
    return partsOfGroupLock(name).group;
  }

  written(name: string, owner: OwnerId): Written {
    const { group, fields } = partsOfGroupLock(name);
    const [field = ''] = fields;
    return writtenHold(group, `${field}:${owner}:lock_count`);
  }

  async acquire({ name, owner, lease }: AcquireRequest, { notAfter, deadline }: RequestLimits): Promise<AcquireReply> {
    const { group, fields } = partsOfGroupLock(name);
    const args = { owner, lease, notAfter, fields };
    const reply = await this.commands.run(scripts.groupLock.acquire, { group }, args, deadline, name);
    const [outcome, remaining, detail, now] = reply;
    if (outcome === 'wrong-type') throw wrongKeyType(group, detail);
    return [outcome, remaining, detail, now];
  }

  hold({ name, owner, count, lease, isLeft }: HoldRequest, limits: RequestLimits): Promise<HoldReply> {
    const { group, fields } = partsOfGroupLock(name);
    const { notAfter, deadline } = limits;
    const args = { owner, count, lease, notAfter, left: isLeft ? 1 : 0, ...this.announcing(group), fields };
    return this.commands.run(scripts.groupLock.hold, { group }, args, deadline, name);
  }

  renew(renewals: readonly Renewal[], { notAfter, deadline }: RequestLimits): Promise<RenewReply> {
    const parts = renewals.map((renewal) => ({ ...renewal, ...partsOfGroupLock(renewal.name) }));
    const groups = parts.map(({ group }) => group);
    const holders = parts.flatMap(({ owner, lease, fields }) => [owner, lease, fields.length, ...fields]);
    const args = { notAfter, holders: holders.map(String) };
    return this.commands.run(scripts.groupLock.renew, { groups }, args, deadline);
  }

  release({ name, owner }: Release, deadline: number): Promise<ReleaseReply> {
    const { group, fields } = partsOfGroupLock(name);
    const args = { owner, ...this.announcing(group), fields };
    return this.commands.run(scripts.groupLock.release, { group }, args, deadline, name);
  }

  async forceRelease({ name }: ForceReleaseRequest, { notAfter, deadline }: RequestLimits): Promise<ForceReleaseReply> {
    const { group, fields } = partsOfGroupLock(name);
    const args = { ...this.announcing(group), notAfter, fields };
    const reply = await this.commands.run(scripts.groupLock.forceRelease, { group }, args, deadline, name);
    const [outcome, detail] = reply;
    if (outcome === 'wrong-type') throw wrongKeyType(group, detail);
    return reply;
  }

  async inspect(name: string, owner: OwnerId | undefined, deadline: number): Promise<InspectReply> {
    const { group, fields } = partsOfGroupLock(name);
    const args = { owner: owner ?? '', fields };
    const reply = await this.commands.run(scripts.groupLock.inspect, { group }, args, deadline, name);
    const [outcome, detail, count, remaining] = reply;
    if (outcome === 'wrong-type') throw wrongKeyType(group, detail);
    return [outcome, detail, count, remaining];
  }

  private announcing(group: string): Announcement {
    return announcementOn(this.commands, lockChannel(group));
  }
}
