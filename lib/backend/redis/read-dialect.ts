import { readWriteLockChannel, readWriteStem } from '../../keys/names.js';
import type { OwnerId } from '../../scope/owner.js';
import type { SteadyScheduler } from '../../time/steady-scheduler.js';
import type { HoldRequest, Renewal } from '../lock-transitions.js';
import type { ReadRequest } from '../read-write-transitions.js';
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
import { requestInTime } from './request-in-time.js';
import { scripts } from './scripts/scripts.generated.js';

/** For each renewal what `scripts/read-lock/renew.lua` and `scripts/write-lock/renew.lua` want to know of it. */
export const readWriteHolders = (renewals: readonly Renewal[]): string[] =>
  renewals.flatMap(({ name, owner, lease }) => [owner, String(lease), readWriteStem(name)]);

/**
 * The read half of a read-write lock on Redisson's data: hash `name` with field `mode` and for each reader a field
 * `owner`, value hold count; beside it a time-out key for each read. Only the hash is declared as a key: the others lie
 * in its slot, and which there are is known to the server alone.
 */
export class ReadDialect implements LockDialect {
  constructor(
    private readonly commands: RedisCommands,
    private readonly scheduler: SteadyScheduler,
  ) {}

  async acquire(request: ReadRequest, { notAfter, deadline }: Limits): Promise<AcquireReply> {
    const { name, owner, lease, behindWriters = false } = request;
    const args = { stem: readWriteStem(name), owner, lease, behindWriters: behindWriters ? 1 : 0, notAfter };
    const reply = await this.commands.run(scripts.readLock.acquire, { lock: name }, args, deadline, name);
    const [outcome, remaining, detail, now] = reply;
    return { outcome, remaining, detail, now };
  }

  async hold({ name, owner, count, lease }: HoldRequest, { notAfter, deadline }: Limits): Promise<HoldReply> {
    const args = { stem: readWriteStem(name), owner, count, lease, notAfter };
    const [outcome, now] = await this.commands.run(scripts.readLock.hold, { lock: name }, args, deadline, name);
    return { outcome, now };
  }

  async renew(renewals: readonly Renewal[], { notAfter, deadline }: Limits): Promise<RenewReply> {
    const locks = renewals.map(({ name }) => name);
    const args = { notAfter, holders: readWriteHolders(renewals) };
    const [outcome, now, ...held] = await this.commands.run(scripts.readLock.renew, { locks }, args, deadline);
    return { outcome, now, held };
  }

  /** Not after the deadline, unlike that of other kinds: a writer may read again under the same id. */
  release(name: string, owner: OwnerId, deadline: number): Promise<ReleaseReply> {
    const args = { stem: readWriteStem(name), owner, channel: readWriteLockChannel(name), publish: 'PUBLISH' };
    return requestInTime(this.commands, this.scheduler, name, deadline, async ({ notAfter }) => {
      const timed = { ...args, notAfter };
      const [outcome, now] = await this.commands.run(scripts.readLock.release, { lock: name }, timed, deadline, name);
      this.commands.serverClock.observe(now);
      return outcome === 'late' ? undefined : { outcome, now };
    });
  }

  async forceRelease(name: string, deadline: number): Promise<ForceReleaseReply> {
    const args = { channel: readWriteLockChannel(name), publish: 'PUBLISH' };
    const { forceRelease } = scripts.readLock;
    const [outcome, detail] = await this.commands.run(forceRelease, { lock: name }, args, deadline, name);
    return { outcome, detail };
  }

  async inspect(name: string, owner: OwnerId | undefined, deadline: number): Promise<InspectReply> {
    const args = { owner: owner ?? '' };
    const reply = await this.commands.run(scripts.readLock.inspect, { lock: name }, args, deadline, name);
    const [outcome, detail, count, remaining] = reply;
    return { outcome, detail, count, remaining };
  }
}
