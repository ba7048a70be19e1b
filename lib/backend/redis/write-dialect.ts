import { readWriteLockChannel, readWriteStem } from '../../keys/names.js';
import type { OwnerId } from '../../scope/owner.js';
import type { HoldRequest, Renewal } from '../lock-transitions.js';
import type { WriteRequest } from '../read-write-transitions.js';
import type { RedisCommands } from './commands.js';
import type {
  AcquireReply,
  ForceReleaseReply,
  HoldReply,
  InspectReply,
  Limits,
  LockDialect,
  ReleaseReply,
  RenewReply,
} from './lock-dialect.js';
import { readWriteHolders } from './read-dialect.js';
import { scripts } from './scripts/scripts.generated.js';

/**
 * The write half of a read-write lock on Redisson's data: hash `name` with field `mode`, and for the writer a field
 * `owner:write`, value hold count.
 */
export class WriteDialect implements LockDialect {
  constructor(private readonly commands: RedisCommands) {}

  async acquire(request: WriteRequest, { notAfter, deadline }: Limits): Promise<AcquireReply> {
    const { name, owner, lease, waiting = { id: '', patience: 0 } } = request;
    const { id: waiter, patience } = waiting;
    const args = { stem: readWriteStem(name), owner, lease, waiter, patience, notAfter };
    const reply = await this.commands.run(scripts.writeLock.acquire, { lock: name }, args, deadline, name);
    const [outcome, remaining, detail, now] = reply;
    return { outcome, remaining, detail, now };
  }

  async hold({ name, owner, count, lease }: HoldRequest, { notAfter, deadline }: Limits): Promise<HoldReply> {
    const args = { stem: readWriteStem(name), owner, count, lease, notAfter };
    const [outcome, now] = await this.commands.run(scripts.writeLock.hold, { lock: name }, args, deadline, name);
    return { outcome, now };
  }

  async renew(renewals: readonly Renewal[], { notAfter, deadline }: Limits): Promise<RenewReply> {
    const locks = renewals.map(({ name }) => name);
    const args = { notAfter, holders: readWriteHolders(renewals) };
    const [outcome, now, ...held] = await this.commands.run(scripts.writeLock.renew, { locks }, args, deadline);
    return { outcome, now, held };
  }

  async release(name: string, owner: OwnerId, deadline: number): Promise<ReleaseReply> {
    const args = { owner, channel: readWriteLockChannel(name), publish: 'PUBLISH' };
    const [outcome, now] = await this.commands.run(scripts.writeLock.release, { lock: name }, args, deadline, name);
    return { outcome, now };
  }

  async forceRelease(name: string, deadline: number): Promise<ForceReleaseReply> {
    const args = { channel: readWriteLockChannel(name), publish: 'PUBLISH' };
    const { forceRelease } = scripts.writeLock;
    const [outcome, detail] = await this.commands.run(forceRelease, { lock: name }, args, deadline, name);
    return { outcome, detail };
  }

  async inspect(name: string, owner: OwnerId | undefined, deadline: number): Promise<InspectReply> {
    const args = { owner: owner ?? '' };
    const reply = await this.commands.run(scripts.writeLock.inspect, { lock: name }, args, deadline, name);
    const [outcome, detail, count, remaining] = reply;
    return { outcome, detail, count, remaining };
  }

  async withdraw(name: string, waiter: OwnerId, deadline: number): Promise<void> {
    const args = { stem: readWriteStem(name), waiter, channel: readWriteLockChannel(name), publish: 'PUBLISH' };
    await this.commands.run(scripts.writeLock.withdraw, { lock: name }, args, deadline, name);
  }
}
