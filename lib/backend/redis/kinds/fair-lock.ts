import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import { isPassing } from '../../../errors.js';
import type {
  FairLockOperations,
  KeepRequest,
  LeaveRequest,
  QueueOutcome,
  QueueRequest,
} from '../../fair-lock-operations.js';
import type { ScriptExecutor } from '../commands/script-executor.js';
import type { FairLockScripts } from './fair-dialect.js';
import { RedisLock } from './redis-lock.js';
import type { Replicas } from '../commands/replica-confirmation.js';
import { unexpectedReply } from '../connection/reply-errors.js';
import { isUnknown } from '../commands/deadline-request.js';
import { OrphanReleaser } from '../commands/unknown-outcomes.js';
import { UnknownOutcomes } from '../commands/unsettled.js';

/** Fair locks in Redis: what all locks have in common, and a queue. */
export class RedisFairLock extends RedisLock implements FairLockOperations {
  private readonly leaving: OrphanReleaser<LeaveRequest & { readonly notAfter: number }>;
  private readonly unsettledTries: UnknownOutcomes;

  constructor(
    commands: ScriptExecutor,
    scheduler: MonotonicScheduler,
    private readonly fair: FairLockScripts,
    replicas?: Replicas,
  ) {
    super(commands, scheduler, fair, replicas);
    this.leaving = new OrphanReleaser(scheduler, (request) => this.tryLeave(request));
    this.unsettledTries = new UnknownOutcomes(scheduler);
  }

  async queue(request: QueueRequest): Promise<QueueOutcome> {
    const { name, owner, lease } = request;
    const deadline = this.deadline(lease);
    const asked = this.inTime({
      ...this.about(name, deadline),
      send: (limits) => this.fair.queue(request, limits),
      read: ({ outcome, remaining, holder, head }, sent): QueueOutcome | Promise<QueueOutcome> | undefined => {
        if (outcome === 'late') return undefined;
        if (outcome !== 'acquired') return { outcome, remaining, holder, head };
        return this.confirmed(request, { outcome, sent });
      },
    });
    return asked.catch(async (error: unknown) => {
      // Rejects only when the server refuses it, so that it cannot arrive after the owner's next, or after it has left.
      if (isUnknown(error)) this.unsettledTries.add([owner], deadline);
      await this.unsettledTries.settled(owner);
      throw error;
    });
  }

  async leave(request: LeaveRequest): Promise<void> {
    try {
      await this.tryLeave(request);
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.leaving.undo({ ...request, notAfter: 0 });
    }
  }

  async keep(request: KeepRequest): Promise<readonly boolean[]> {
    const deadline = this.deadline(request.slot);
    await this.ready(deadline, request.name);
    const kept = await this.fair.keep(request, deadline);
    if (kept.length !== request.owners.length) throw unexpectedReply(kept);
    return kept.map((flag) => flag === 1);
  }

  override async finish(ms: number): Promise<void> {
    await Promise.all([super.finish(ms), this.leaving.finish(ms)]);
  }

  /** May be executed twice. Resolves with the server's time. */
  private async tryLeave(request: Omit<LeaveRequest, 'lease'>): Promise<number> {
    const deadline = this.deadline();
    await this.ready(deadline, request.name);
    return this.fair.leave(request, deadline);
  }
}
