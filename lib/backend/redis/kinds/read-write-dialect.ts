import { readWriteLockChannel, readWriteStem } from '../../../keys/lock-name.js';
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
import type { scripts } from '../scripts/scripts.generated.js';

/** Scripts that take and give the same in both halves. */
type ScriptsOfHalf = Pick<typeof scripts.readLock, 'forceRelease' | 'inspect'>;

/**
 * What both halves of a read-write lock say in the same way. Only the hash is declared as a key: the time-out keys lie
 * in its slot, and which there are is known to the server alone.
 */
export abstract class ReadWriteLockScripts implements LockScripts {
  constructor(
    protected readonly commands: ScriptExecutor,
    private readonly half: ScriptsOfHalf,
  ) {}

  keyOf(name: string): string {
    return name;
  }

  fieldOf(_name: string, owner: OwnerId): string {
    return owner;
  }

  abstract acquire(request: AcquireRequest, limits: RequestLimits): Promise<AcquireReply>;
  abstract hold(request: HoldRequest, limits: RequestLimits): Promise<HoldReply>;
  abstract renew(renewals: readonly Renewal[], limits: RequestLimits): Promise<RenewReply>;
  abstract release(name: string, owner: OwnerId, deadline: number): Promise<ReleaseReply>;

  forceRelease(name: string, { notAfter, deadline }: RequestLimits): Promise<ForceReleaseReply> {
    const args = { ...this.announcing(name), notAfter };
    return this.commands.run(this.half.forceRelease, { lock: name }, args, deadline, name);
  }

  inspect(name: string, owner: OwnerId | undefined, deadline: number): Promise<InspectReply> {
    return this.commands.run(this.half.inspect, { lock: name }, { owner: owner ?? '' }, deadline, name);
  }

  protected locksOf(renewals: readonly Renewal[]): readonly string[] {
    return renewals.map(({ name }) => name);
  }

  /** For each lock its owner, the milliseconds, and what the names of its companion keys begin with. */
  protected holdersOf(renewals: readonly Renewal[]): readonly string[] {
    return renewals.flatMap(({ name, owner, lease }) => [owner, String(lease), readWriteStem(name)]);
  }

  protected announcing(name: string): { channel: string; publish: PublishCommand } {
    const channel = readWriteLockChannel(name);
    return { channel, publish: this.commands.publishCommand(channel) };
  }
}
