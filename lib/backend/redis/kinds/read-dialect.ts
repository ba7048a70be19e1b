import { readWriteStem } from '../../../keys/lock-name.js';
import type { OwnerId } from '../../../context/ids.js';
import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import type { HoldRequest, Renewal } from '../../lock-operations.js';
import type { ReadRequest } from '../../read-write-transitions.js';
import type { ScriptExecutor } from '../commands/script-executor.js';
import type { AcquireReply, HoldReply, RequestLimits, ReleaseReply, RenewReply } from './lock-scripts.js';
import { keepTimeouts } from './read-timeouts.js';
import { ReadWriteLockScripts } from './read-write-dialect.js';
import { tornApart } from './renew-by-shard.js';
import { sendWithDeadline } from '../commands/deadline-request.js';
import { scripts } from '../scripts/scripts.generated.js';

/**
 * The read half of a read-write lock on Redisson's data: hash `name` with field `mode` and for each reader a field
 * `owner`, value hold count; beside it a time-out key for each read.
 */
export class ReadLockScripts extends ReadWriteLockScripts {
  constructor(
    commands: ScriptExecutor,
    private readonly scheduler: MonotonicScheduler,
  ) {
    super(commands, scripts.readLock);
  }

  async acquire(request: ReadRequest, limits: RequestLimits): Promise<AcquireReply> {
    const { name, owner, lease, behindWriters = false } = request;
    const { notAfter, deadline } = limits;
    const args = { stem: readWriteStem(name), owner, lease, behindWriters: behindWriters ? 1 : 0, notAfter };
    const reply = await this.commands.run(scripts.readLock.acquire, { lock: name }, args, deadline, name);
    const [outcome, remaining, detail, now] = reply;
    if (outcome !== 'torn') return [outcome, remaining, detail, now];
    await keepTimeouts(this.commands, { name, owner, reads: 1, lease }, limits);
    // Until its time-out key was there, the reader passed for dead on a server that the whole slot had moved to: another
    // reader's release may have freed the lock, and a writer may have it.
    const [, , reads] = await this.inspect(name, owner, deadline);
    if (reads === 0) throw tornApart(name);
    return ['acquired', remaining, detail, now];
  }

  async hold({ name, owner, count, lease }: HoldRequest, limits: RequestLimits): Promise<HoldReply> {
    const { notAfter, deadline } = limits;
    const args = { stem: readWriteStem(name), owner, count, lease, notAfter };
    const [outcome, now] = await this.commands.run(scripts.readLock.hold, { lock: name }, args, deadline, name);
    if (outcome !== 'torn') return [outcome, now];
    await keepTimeouts(this.commands, { name, owner, reads: count, lease }, limits);
    return ['held', now];
  }

  async renew(renewals: readonly Renewal[], limits: RequestLimits): Promise<RenewReply> {
    const { notAfter, deadline } = limits;
    const args = { notAfter, holders: this.holdersOf(renewals) };
    const reply = await this.commands.run(scripts.readLock.renew, { locks: this.locksOf(renewals) }, args, deadline);
    const [outcome, now, ...held] = reply;
    const keep = async (flag: number, index: number): Promise<number> => {
      const renewal = renewals[index];
      if (flag >= 0 || !renewal) return flag;
      const keeping = keepTimeouts(this.commands, { ...renewal, reads: -flag }, limits);
      // Of this one alone it stays unknown; the others are renewed.
      return keeping.then(
        () => 1,
        () => flag,
      );
    };
    return [outcome, now, ...(await Promise.all(held.map(keep)))];
  }

  /** Not after the deadline, unlike that of other kinds: a writer may read again under the same id. */
  release(name: string, owner: OwnerId, deadline: number): Promise<ReleaseReply> {
    return sendWithDeadline(this.commands, this.scheduler, {
      key: name,
      deadline,
      send: ({ notAfter }) => {
        const timed = { stem: readWriteStem(name), owner, ...this.announcing(name), notAfter };
        return this.commands.run(scripts.readLock.release, { lock: name }, timed, deadline, name);
      },
      read: ([outcome, now]): ReleaseReply | undefined => {
        return outcome === 'late' ? undefined : [outcome, now];
      },
    });
  }
}
