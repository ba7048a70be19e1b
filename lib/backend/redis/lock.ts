import { LockUnavailableError } from '../../errors.js';
import { lockChannel } from '../../keys/names.js';
import type { OwnerId } from '../../scope/owner.js';
import type { SteadyScheduler } from '../../time/steady-scheduler.js';
import type {
  AcquireOutcome,
  AcquireRequest,
  LockState,
  LockTransitions,
  ReleaseOutcome,
  ReleaseRequest,
  Renewal,
  RenewOutcome,
} from '../lock-backend.js';
import type { RedisCommands } from './commands.js';
import { wrongKeyType } from './replies.js';
import { scripts } from './scripts/scripts.generated.js';
import { type Ghost, Undoing } from './undoing.js';

const PUBLISH = 'PUBLISH';

/** The reentrant lock in Redis, on Redisson's data: hash `name`, field `owner`, value hold count. */
export class RedisLock implements LockTransitions {
  private readonly undoing: Undoing;

  constructor(
    private readonly commands: RedisCommands,
    private readonly scheduler: SteadyScheduler,
  ) {
    this.undoing = new Undoing(scheduler, async (ghost) => (await this.tryRelease({ ...ghost, count: 0 })).now);
  }

  async acquire({ name, owner, count, lease }: AcquireRequest): Promise<AcquireOutcome> {
    const deadline = this.deadline(lease);
    await this.commands.ready(deadline, name);
    for (;;) {
      const sentAt = this.scheduler.now();
      const notAfter = Math.ceil(this.commands.serverClock.now() + (deadline - sentAt));
      const ghost = { name, owner, lease, notAfter };
      const reply = await this.commands
        .run(scripts.lock.acquire, { lock: name }, { owner, count, lease, notAfter }, deadline, name)
        .catch((error: unknown) => this.undoUnknown(error, ghost, count));
      const [outcome, remaining, detail, now] = reply;
      this.commands.serverClock.observe(now);
      switch (outcome) {
        case 'acquired':
          return { outcome, sentAt };
        case 'busy':
          return { outcome, remaining, holder: detail };
        case 'lost':
          return { outcome };
        case 'wrong-type':
          throw wrongKeyType(name, detail);
        case 'late':
          // Our idea of the server's clock was behind; the reply has just corrected it.
          if (this.scheduler.now() < deadline) continue;
          throw new LockUnavailableError('The request reached Redis after its deadline', 'refused', false, {
            lockName: name,
          });
      }
    }
  }

  async release(request: ReleaseRequest): Promise<ReleaseOutcome> {
    try {
      return (await this.tryRelease(request)).outcome;
    } catch (error) {
      if (!(error instanceof LockUnavailableError) || error.permanent) throw error;
      return await this.releaseAgain(request, error);
    }
  }

  /** A release says which count is to remain, so it may be sent twice; what is still unknown then goes on behind. */
  private async releaseAgain(request: ReleaseRequest, first: LockUnavailableError): Promise<ReleaseOutcome> {
    try {
      const { outcome } = await this.tryRelease(request);
      const onlyReplyWasLost = outcome === 'not-held' && first.outcome === 'unknown' && request.count === 0;
      return onlyReplyWasLost ? 'released' : outcome;
    } catch (error) {
      if (request.count === 0) this.undoing.undo({ ...request, notAfter: Number.NEGATIVE_INFINITY });
      throw error;
    }
  }

  async renew(renewals: readonly Renewal[], lease: number): Promise<RenewOutcome> {
    const deadline = this.deadline(lease);
    await this.commands.ready(deadline);
    const sentAt = this.scheduler.now();
    const locks = renewals.map(({ name }) => name);
    const owners = renewals.map(({ owner }) => owner);
    const [now, ...held] = await this.commands.run(scripts.lock.renew, { locks }, { lease, owners }, deadline);
    this.commands.serverClock.observe(now);
    return { sentAt, held: held.map((flag) => flag === 1) };
  }

  async forceRelease(name: string): Promise<boolean> {
    const deadline = this.deadline();
    await this.commands.ready(deadline, name);
    const args = { channel: lockChannel(name), publish: PUBLISH };
    const [outcome, detail] = await this.commands.run(scripts.lock.forceRelease, { lock: name }, args, deadline, name);
    if (outcome === 'wrong-type') throw wrongKeyType(name, detail);
    return outcome === 'released';
  }

  async inspect(name: string, owner: OwnerId | undefined): Promise<LockState> {
    const deadline = this.deadline();
    await this.commands.ready(deadline, name);
    const args = { owner: owner ?? '' };
    const [outcome, detail, count, remaining] = await this.commands.run(
      scripts.lock.inspect,
      { lock: name },
      args,
      deadline,
      name,
    );
    if (outcome === 'wrong-type') throw wrongKeyType(name, detail);
    return { locked: outcome === 'locked', count, remaining };
  }

  /** Resolves when nothing is left to undo, or after `ms`, and ends the undoing. */
  finish(ms: number): Promise<void> {
    return this.undoing.finish(ms);
  }

  private deadline(lease = Number.POSITIVE_INFINITY): number {
    return this.scheduler.now() + this.commands.patience(lease);
  }

  private async tryRelease(request: ReleaseRequest): Promise<{ outcome: ReleaseOutcome; now: number }> {
    const { name, owner, count } = request;
    const deadline = this.deadline();
    await this.commands.ready(deadline, name);
    const lease = Math.max(1, Math.round(request.lease));
    const args = { owner, count, lease, channel: lockChannel(name), publish: PUBLISH };
    const [outcome, detail, now] = await this.commands.run(scripts.lock.release, { lock: name }, args, deadline, name);
    this.commands.serverClock.observe(now);
    if (outcome === 'wrong-type') throw wrongKeyType(name, detail);
    return { outcome, now };
  }

  /**
   * Only a new owner's acquisition is undone. A re-entry needs none: whatever it did, the owner's next transition says
   * which count it wants.
   */
  private undoUnknown(error: unknown, ghost: Ghost, count: number): never {
    const unknown = error instanceof LockUnavailableError && error.outcome === 'unknown';
    if (unknown && count === 1) this.undoing.undo(ghost);
    throw error;
  }
}
