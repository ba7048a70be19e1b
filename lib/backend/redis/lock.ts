import { isPassing, LockUnavailableError } from '../../errors.js';
import { lockChannel } from '../../keys/names.js';
import type { OwnerId } from '../../scope/owner.js';
import type { SteadyScheduler } from '../../time/steady-scheduler.js';
import { Stopwatch } from '../../time/stopwatch.js';
import type {
  AcquireOutcome,
  AcquireRequest,
  HoldOutcome,
  HoldRequest,
  LockState,
  LockTransitions,
  ReleaseOutcome,
  ReleaseRequest,
  Renewal,
  RenewOutcome,
} from '../lock-backend.js';
import type { RedisCommands } from './commands.js';
import { unexpectedReply, wrongKeyType } from './replies.js';
import { scripts } from './scripts/scripts.generated.js';
import { type Ghost, Undoing } from './undoing.js';
import { Unsettled } from './unsettled.js';

const PUBLISH = 'PUBLISH';

/** `now`: the server's time at which the owner certainly had nothing any more. */
interface Freed {
  readonly outcome: ReleaseOutcome;
  readonly now: number;
}

type TimedRequest<T> = (notAfter: number, sent: Stopwatch) => Promise<T | undefined>;

const isUnknown = (error: unknown): boolean => error instanceof LockUnavailableError && error.outcome === 'unknown';

const undefinedIfNotSent = (error: unknown): undefined => {
  if (error instanceof LockUnavailableError && error.outcome === 'not-sent') return undefined;
  throw error;
};

/** The reentrant lock in Redis, on Redisson's data: hash `name`, field `owner`, value hold count. */
export class RedisLock implements LockTransitions {
  private readonly undoing: Undoing;
  private readonly unsettled: Unsettled;

  constructor(
    private readonly commands: RedisCommands,
    private readonly scheduler: SteadyScheduler,
  ) {
    this.unsettled = new Unsettled(scheduler);
    this.undoing = new Undoing(scheduler, async (ghost) => (await this.tryRelease(ghost)).now);
  }

  async acquire({ name, owner, lease }: AcquireRequest): Promise<AcquireOutcome> {
    const deadline = this.deadline(lease);
    return this.inTime(name, deadline, async (notAfter, sent) => {
      const [outcome, remaining, detail, now] = await this.commands
        .run(scripts.lock.acquire, { lock: name }, { owner, lease, notAfter }, deadline, name)
        .catch((error: unknown) => this.undoUnknown(error, { name, owner, lease, notAfter }));
      this.commands.serverClock.observe(now);
      if (outcome === 'acquired') return { outcome, sent };
      if (outcome === 'busy') return { outcome, remaining, holder: detail };
      if (outcome === 'wrong-type') throw wrongKeyType(name, detail);
      return undefined;
    });
  }

  async hold({ name, owner, count, lease }: HoldRequest): Promise<HoldOutcome> {
    await this.unsettled.settled(owner);
    const deadline = this.deadline(lease);
    const request = this.inTime(name, deadline, async (notAfter, sent) => {
      const args = { owner, count, lease, notAfter };
      const [outcome, now] = await this.commands.run(scripts.lock.hold, { lock: name }, args, deadline, name);
      this.commands.serverClock.observe(now);
      if (outcome === 'held') return { outcome, sent };
      return outcome === 'lost' ? { outcome } : undefined;
    });
    return request.catch(async (error: unknown) => {
      // Rejects only when the server refuses it, so that it cannot arrive after the owner's next.
      if (isUnknown(error)) this.unsettled.add([owner], deadline);
      await this.unsettled.settled(owner);
      throw error;
    });
  }

  async renew(renewals: readonly Renewal[]): Promise<RenewOutcome> {
    const locks = renewals.map(({ name }) => name);
    const holders = renewals.flatMap(({ owner, lease }) => [owner, String(lease)]);
    const deadline = this.deadline(Math.min(...renewals.map(({ lease }) => lease)));
    const request = this.inTime(undefined, deadline, async (notAfter, sent) => {
      const reply = await this.commands.run(scripts.lock.renew, { locks }, { notAfter, holders }, deadline);
      const [outcome, now, ...held] = reply;
      this.commands.serverClock.observe(now);
      if (outcome === 'late') return undefined;
      if (held.length !== renewals.length) throw unexpectedReply(reply);
      return { sent, held: held.map((flag) => flag === 1) };
    });
    return request.catch((error: unknown) => {
      const owners = renewals.map(({ owner }) => owner);
      if (isUnknown(error)) this.unsettled.add(owners, deadline);
      throw error;
    });
  }

  async release(request: ReleaseRequest): Promise<ReleaseOutcome> {
    try {
      return (await this.tryRelease(request)).outcome;
    } catch (error) {
      if (!isPassing(error)) throw error;
      return await this.releaseAgain(request, error);
    }
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

  /**
   * A request that the server refuses after the deadline. `undefined` from `request` says that it did so although the
   * deadline has not come: our idea of the server's clock was behind, and the reply has just corrected it. Then, and
   * where the connection went down before anything was written, there is time for another.
   */
  private async inTime<T>(name: string | undefined, deadline: number, request: TimedRequest<T>): Promise<T> {
    while (this.scheduler.now() < deadline) {
      await this.commands.ready(deadline, name);
      const sent = new Stopwatch(this.scheduler);
      const notAfter = Math.ceil(this.commands.serverClock.now() + (deadline - sent.startedAt));
      const result = await request(notAfter, sent).catch(undefinedIfNotSent);
      if (result !== undefined) return result;
    }
    throw new LockUnavailableError('The request reached Redis after its deadline', 'refused', false, {
      lockName: name,
    });
  }

  private async tryRelease({ name, owner }: Omit<ReleaseRequest, 'lease'>): Promise<Freed> {
    const deadline = this.deadline();
    await this.commands.ready(deadline, name);
    const args = { owner, channel: lockChannel(name), publish: PUBLISH };
    const [outcome, now] = await this.commands.run(scripts.lock.release, { lock: name }, args, deadline, name);
    this.commands.serverClock.observe(now);
    return { outcome, now };
  }

  /** A release may be executed twice; what is still unknown after the second try goes on in the background. */
  private async releaseAgain(request: ReleaseRequest, first: LockUnavailableError): Promise<ReleaseOutcome> {
    try {
      const { outcome } = await this.tryRelease(request);
      const onlyReplyWasLost = outcome === 'not-held' && first.outcome === 'unknown';
      return onlyReplyWasLost ? 'released' : outcome;
    } catch (error) {
      this.undoing.undo({ ...request, notAfter: 0 });
      throw error;
    }
  }

  private undoUnknown(error: unknown, ghost: Ghost): never {
    if (isUnknown(error)) this.undoing.undo(ghost);
    throw error;
  }
}
