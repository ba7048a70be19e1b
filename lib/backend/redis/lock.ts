import { isPassing, LockUnavailableError } from '../../errors.js';
import type { OwnerId } from '../../scope/owner.js';
import type { SteadyScheduler } from '../../time/steady-scheduler.js';
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
} from '../lock-transitions.js';
import { wrongKeyType } from '../wrong-key-type.js';
import type { RedisCommands } from './commands.js';
import type { AcquireReply, LockDialect, ReleaseReply } from './lock-dialect.js';
import { unexpectedReply } from './replies.js';
import type { Replicas } from './replication.js';
import { renewByShard } from './renew-by-shard.js';
import { requestInTime, type TimedRequest, type Timing } from './request-in-time.js';
import { type Ghost, Undoing } from './undoing.js';
import { Unsettled } from './unsettled.js';

export const isUnknown = (error: unknown): boolean =>
  error instanceof LockUnavailableError && error.outcome === 'unknown';

const outcomeOf = ({ outcome, heard }: ReleaseReply): ReleaseOutcome =>
  outcome === 'released' && heard !== undefined ? { outcome, heard } : { outcome };

/**
 * Locks in Redis. The dialect knows the scripts of one kind; here is what all kinds have in common: deadlines, and one
 * effect for each request however its answer got lost.
 */
export class RedisLock implements LockTransitions {
  protected readonly undoing: Undoing;
  private readonly unsettled: Unsettled;

  constructor(
    protected readonly commands: RedisCommands,
    protected readonly scheduler: SteadyScheduler,
    private readonly dialect: LockDialect,
    private readonly replicas?: Replicas,
  ) {
    this.unsettled = new Unsettled(scheduler);
    this.undoing = new Undoing(scheduler, async (ghost) => (await this.tryRelease(ghost)).now);
  }

  acquire(request: AcquireRequest): Promise<AcquireOutcome> {
    const { name, owner, lease } = request;
    const timing = { ...this.timing(name, this.deadline(lease)), grants: true };
    return this.inTime(timing, async (limits, sent) => {
      let reply: AcquireReply;
      try {
        reply = await this.dialect.acquire(request, limits);
      } catch (error) {
        this.undoUnknown(error, { name, owner, lease, notAfter: limits.notAfter });
        throw error;
      }
      const { outcome, detail } = reply;
      this.observe(name, reply.now);
      if (outcome === 'acquired') {
        if (this.replicas) await this.confirmReplicas(request);
        return reply.fence === undefined ? { outcome, sent } : { outcome, sent, fence: reply.fence };
      }
      if (outcome === 'busy') return { outcome, remaining: reply.remaining, holder: detail };
      if (outcome === 'wrong-type') throw wrongKeyType(name, detail);
      return undefined;
    });
  }

  async hold(request: HoldRequest): Promise<HoldOutcome> {
    const { name, owner, lease } = request;
    await this.unsettled.settled(owner);
    const deadline = this.deadline(lease);
    const asked = this.inTime<HoldOutcome>(this.timing(name, deadline), async (limits, sent) => {
      const { outcome, now } = await this.dialect.hold(request, limits);
      this.observe(name, now);
      if (outcome === 'held') return { outcome, sent };
      return outcome === 'lost' ? { outcome } : undefined;
    });
    return asked.catch(async (error: unknown) => {
      // Rejects only when the server refuses it, so that it cannot arrive after the owner's next.
      if (isUnknown(error)) this.unsettled.add([owner], deadline);
      await this.unsettled.settled(owner);
      throw error;
    });
  }

  /** In one command for each shard. */
  async renew(renewals: readonly Renewal[]): Promise<RenewOutcome> {
    const shardOf = ({ name }: Renewal): number => this.commands.shardOf(this.dialect.keyOf(name));
    return renewByShard(renewals, shardOf, (some) => this.renewTogether(some));
  }

  private async renewTogether(renewals: readonly Renewal[]): Promise<RenewOutcome> {
    const deadline = this.deadline(Math.min(...renewals.map(({ lease }) => lease)));
    const [{ name } = { name: '' }] = renewals;
    const asked = this.inTime(this.timing(name, deadline), async (limits, sent) => {
      const reply = await this.dialect.renew(renewals, limits);
      this.observe(name, reply.now);
      if (reply.outcome === 'late') return undefined;
      if (reply.held.length !== renewals.length) throw unexpectedReply(reply);
      return { sent, held: reply.held.map((flag) => flag === 1) };
    });
    return asked.catch((error: unknown) => {
      const owners = renewals.map(({ owner }) => owner);
      if (isUnknown(error)) this.unsettled.add(owners, deadline);
      throw error;
    });
  }

  async release(request: ReleaseRequest): Promise<ReleaseOutcome> {
    try {
      return outcomeOf(await this.tryRelease(request));
    } catch (error) {
      if (!isPassing(error)) throw error;
      return await this.releaseAgain(request, error);
    }
  }

  async forceRelease(name: string): Promise<boolean> {
    const deadline = this.deadline();
    await this.ready(deadline, name);
    const { outcome, detail } = await this.dialect.forceRelease(name, deadline);
    if (outcome === 'wrong-type') throw wrongKeyType(name, detail);
    return outcome === 'released';
  }

  async inspect(name: string, owner: OwnerId | undefined): Promise<LockState> {
    const deadline = this.deadline();
    await this.ready(deadline, name);
    const { outcome, detail, count, remaining } = await this.dialect.inspect(name, owner, deadline);
    if (outcome === 'wrong-type') throw wrongKeyType(name, detail);
    return { locked: outcome === 'locked', count, remaining };
  }

  /** Resolves when nothing is left to undo, or after `ms`, and ends the undoing. */
  finish(ms: number): Promise<void> {
    return this.undoing.finish(ms);
  }

  protected deadline(lease = Number.POSITIVE_INFINITY): number {
    return this.scheduler.now() + this.commands.patience(lease);
  }

  protected timing(name: string, deadline: number): Timing {
    return { key: this.dialect.keyOf(name), name, deadline };
  }

  protected inTime<T>(timing: Timing, request: TimedRequest<T>): Promise<T> {
    return requestInTime(this.commands, this.scheduler, timing, request);
  }

  protected ready(deadline: number, name: string): Promise<void> {
    return this.commands.ready(deadline, this.dialect.keyOf(name), name);
  }

  protected observe(name: string, serverNow: number): void {
    this.commands.observe(this.dialect.keyOf(name), serverNow);
  }

  /**
   * An acquisition that too few replicas know of is none: it would be forgotten by the next fail-over.
   * @throws LockUnavailableError, after it was undone.
   */
  protected async confirmReplicas({ name, owner, lease }: AcquireRequest): Promise<void> {
    const { replicas, dialect } = this;
    if (!replicas) return;
    const held = { key: dialect.keyOf(name), field: dialect.fieldOf(name, owner) };
    const asked = this.commands.replicasWith(held, replicas);
    const found = await asked.catch((error: unknown) => this.undoUnconfirmed({ name, owner, lease }, error));
    if (found >= replicas.min) return;
    const { min, timeout } = replicas;
    const why = `Only ${found} of ${min} replicas had lock "${name}" within ${timeout} ms; it was given back`;
    const details = { replicas: { wanted: min, found } };
    await this.undoUnconfirmed(
      { name, owner, lease },
      new LockUnavailableError(why, 'refused', false, { lockName: name, details }),
    );
  }

  private async undoUnconfirmed(request: ReleaseRequest, reason: unknown): Promise<never> {
    // What fails goes on in the background.
    await this.release(request).catch(() => {});
    throw reason;
  }

  protected async tryRelease({ name, owner }: Omit<ReleaseRequest, 'lease'>): Promise<ReleaseReply> {
    const deadline = this.deadline();
    if (!this.commands.canSend(this.dialect.keyOf(name))) await this.ready(deadline, name);
    const reply = await this.dialect.release(name, owner, deadline);
    this.observe(name, reply.now);
    return reply;
  }

  /** A release may be executed twice; what is still unknown after the second try goes on in the background. */
  private async releaseAgain(request: ReleaseRequest, first: LockUnavailableError): Promise<ReleaseOutcome> {
    try {
      const reply = await this.tryRelease(request);
      const onlyReplyWasLost = reply.outcome === 'not-held' && first.outcome === 'unknown';
      return onlyReplyWasLost ? { outcome: 'released' } : outcomeOf(reply);
    } catch (error) {
      this.undoing.undo({ ...request, notAfter: 0 });
      throw error;
    }
  }

  private undoUnknown(error: unknown, ghost: Ghost): void {
    if (isUnknown(error)) this.undoing.undo(ghost);
  }
}
