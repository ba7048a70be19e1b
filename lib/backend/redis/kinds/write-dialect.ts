import { readWriteStem, waitingWriters } from '../../../keys/lock-name.js';
import type { OwnerId } from '../../../context/ids.js';
import type { HoldRequest, Renewal } from '../../lock-operations.js';
import type { WriteRequest } from '../../read-write-transitions.js';
import type { ScriptExecutor } from '../commands/script-executor.js';
import type { AcquireReply, HoldReply, RequestLimits, ReleaseReply, RenewReply } from './lock-scripts.js';
import { ReadWriteLockScripts } from './read-write-dialect.js';
import { scripts } from '../scripts/scripts.generated.js';

/**
 * The write half of a read-write lock on Redisson's data: hash `name` with field `mode`, and for the writer a field
 * `owner:write`, value hold count.
 */
export class WriteLockScripts extends ReadWriteLockScripts {
  constructor(commands: ScriptExecutor) {
    super(commands, scripts.writeLock);
  }

  override fieldOf(_name: string, owner: OwnerId): string {
    return `${owner}:write`;
  }

  acquire(request: WriteRequest, { notAfter, deadline }: RequestLimits): Promise<AcquireReply> {
    const { name, owner, lease, waiting = { id: '', patience: 0 } } = request;
    const { id: waiter, patience } = waiting;
    const args = { stem: readWriteStem(name), owner, lease, waiter, patience, notAfter };
    return this.commands.run(scripts.writeLock.acquire, { lock: name }, args, deadline, name);
  }

  hold({ name, owner, count, lease }: HoldRequest, { notAfter, deadline }: RequestLimits): Promise<HoldReply> {
    const args = { stem: readWriteStem(name), owner, count, lease, notAfter };
    return this.commands.run(scripts.writeLock.hold, { lock: name }, args, deadline, name);
  }

  renew(renewals: readonly Renewal[], { notAfter, deadline }: RequestLimits): Promise<RenewReply> {
    const args = { notAfter, holders: this.holdersOf(renewals) };
    return this.commands.run(scripts.writeLock.renew, { locks: this.locksOf(renewals) }, args, deadline);
  }

  release(name: string, owner: OwnerId, deadline: number): Promise<ReleaseReply> {
    const args = { stem: readWriteStem(name), owner, ...this.announcing(name) };
    return this.commands.run(scripts.writeLock.release, { lock: name }, args, deadline, name);
  }

  /** Nobody waits under this id any more. */
  async withdraw(name: string, waiter: OwnerId, deadline: number): Promise<void> {
    const args = { lock: name, waiter, ...this.announcing(name) };
    await this.commands.run(scripts.writeLock.withdraw, { writers: waitingWriters(name) }, args, deadline, name);
  }
}
