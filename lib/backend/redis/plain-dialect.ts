import { lockChannel } from '../../keys/names.js';
import type { OwnerId } from '../../scope/owner.js';
import type { AcquireRequest, HoldRequest, Renewal } from '../lock-transitions.js';
import type { PublishCommand, RedisCommands } from './commands.js';
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
import type { ReplyOf } from './scripts/script.js';
import { scripts } from './scripts/scripts.generated.js';

const acquireReply = ([outcome, remaining, detail, now]: ReplyOf<typeof scripts.lock.acquire>): AcquireReply => ({
  outcome,
  remaining,
  detail,
  now,
});

const releaseReply = ([outcome, now, heard]: ReplyOf<typeof scripts.lock.release>): ReleaseReply => ({
  outcome,
  now,
  heard,
});

/** The reentrant lock on Redisson's data: hash `name`, field `owner`, value hold count. */
export class PlainDialect implements LockDialect {
  /** @param isAnnounced Whether waiters are told of a release; Redisson's spin lock tells nobody. */
  constructor(
    protected readonly commands: RedisCommands,
    private readonly isAnnounced = true,
  ) {}

  keyOf(name: string): string {
    return name;
  }

  fieldOf(_name: string, owner: OwnerId): string {
    return owner;
  }

  acquire({ name, owner, lease }: AcquireRequest, { notAfter, deadline }: Limits): Promise<AcquireReply> {
    const args = { owner, lease, notAfter };
    return this.commands.run(scripts.lock.acquire, { lock: name }, args, deadline, name).then(acquireReply);
  }

  async hold({ name, owner, count, lease }: HoldRequest, { notAfter, deadline }: Limits): Promise<HoldReply> {
    const args = { owner, count, lease, notAfter };
    const [outcome, now] = await this.commands.run(scripts.lock.hold, { lock: name }, args, deadline, name);
    return { outcome, now };
  }

  async renew(renewals: readonly Renewal[], { notAfter, deadline }: Limits): Promise<RenewReply> {
    const locks = renewals.map(({ name }) => name);
    const holders = renewals.flatMap(({ owner, lease }) => [owner, String(lease)]);
    const reply = await this.commands.run(scripts.lock.renew, { locks }, { notAfter, holders }, deadline);
    const [outcome, now, ...held] = reply;
    return { outcome, now, held };
  }

  release(name: string, owner: OwnerId, deadline: number): Promise<ReleaseReply> {
    const args = { owner, ...this.announcing(name) };
    return this.commands.run(scripts.lock.release, { lock: name }, args, deadline, name).then(releaseReply);
  }

  async forceRelease(name: string, deadline: number): Promise<ForceReleaseReply> {
    const args = this.announcing(name);
    const [outcome, detail] = await this.commands.run(scripts.lock.forceRelease, { lock: name }, args, deadline, name);
    return { outcome, detail };
  }

  async inspect(name: string, owner: OwnerId | undefined, deadline: number): Promise<InspectReply> {
    const args = { owner: owner ?? '' };
    const reply = await this.commands.run(scripts.lock.inspect, { lock: name }, args, deadline, name);
    const [outcome, detail, count, remaining] = reply;
    return { outcome, detail, count, remaining };
  }

  /** Where a release is announced, and by which command; by none where it is not. */
  protected announcing(name: string): { channel: string; publish: PublishCommand | '' } {
    const channel = lockChannel(name);
    return { channel, publish: this.isAnnounced ? this.commands.publishCommand(channel) : '' };
  }
}
