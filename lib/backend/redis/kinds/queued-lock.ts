import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import { isPassing } from '../../../errors.js';
import type { OwnerId } from '../../../context/owner-ids.js';
import type { KeepRequest, LeaveRequest, QueueOutcome, QueueRequest } from '../../fair-lock-operations.js';
import type { LimitUse } from '../../lock-operations.js';
import type { RequestLimits } from '../commands/deadline-request.js';
import { OrphanReleaser } from '../commands/orphan-releaser.js';
import type { Replicas } from '../commands/replica-confirmation.js';
import type { ScriptExecutor } from '../commands/script-executor.js';
import { UnknownOutcomes } from '../commands/unknown-outcomes.js';
import { unexpectedReply } from '../connection/reply-errors.js';
import type { LockScripts } from './lock-scripts.js';
import { RedisLock } from './redis-lock.js';

export interface QueueReply {
  readonly outcome: 'acquired' | 'queued' | 'waiting' | 'late';
  readonly remaining: number;
  readonly holder: OwnerId;
  readonly now: number;
  readonly head: OwnerId;
  readonly isMixed: boolean;
  /** Of a limit. */
  readonly use?: LimitUse;
}

/** The scripts of a kind with a queue on the server. */
export interface QueueScripts extends LockScripts {
  queue(request: QueueRequest, limits: RequestLimits): Promise<QueueReply>;
  /** Resolves with the server's time. */
  leave(request: Omit<LeaveRequest, 'lease'>, deadline: number): Promise<number>;
  /** Resolves with one number for each owner; 1 if it has a place. */
  keep(request: KeepRequest, deadline: number): Promise<readonly number[]>;
}

/** Locks in Redis whose waiters may queue on the server. */
export class QueuedLock extends RedisLock {
  private readonly leaving: OrphanReleaser<LeaveRequest & { readonly notAfter: number }>;
  private readonly unknownAttempts: UnknownOutcomes;

  constructor(
    commands: ScriptExecutor,
    scheduler: MonotonicScheduler,
    private readonly queueScripts: QueueScripts,
    replicas?: Replicas,
  ) {
    super(commands, scheduler, queueScripts, replicas);
    this.leaving = new OrphanReleaser(scheduler, (request) => this.tryLeave(request));
    this.unknownAttempts = new UnknownOutcomes(scheduler);
  }

  async queue(request: QueueRequest): Promise<QueueOutcome> {
    const { name, owner, lease } = request;
    const turn = this.commands.turn(this.queueScripts.keyOf(name), name);
    if (turn) await turn;
    const deadline = this.deadline(lease);
    const asked = this.inTime({
      ...this.about(name, deadline),
      send: (limits) => this.queueScripts.queue(request, limits),
      read: (reply, sent): QueueOutcome | Promise<QueueOutcome> | undefined => {
        const { outcome, remaining, holder, head, isMixed, use } = reply;
        if (outcome === 'late') return undefined;
        if (outcome !== 'acquired') return { outcome, remaining, holder, head, isMixed, ...(use && { use }) };
        return this.confirmed(request, { outcome, sent, ...(use && { use }) });
      },
    });
    return asked.catch((error: unknown) => this.unknownAttempts.rejectOnceSettled(owner, deadline, error));
  }

  async leave(request: LeaveRequest): Promise<void> {
    try {
      await this.tryLeave(request);
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.leaving.releaseInBackground({ ...request, notAfter: 0 });
    }
  }

  async keep(request: KeepRequest): Promise<readonly boolean[]> {
    const { name, slot } = request;
    const send = (deadline: number) => this.queueScripts.keep(request, deadline);
    const kept = await this.whenReady(this.queueScripts.keyOf(name), send, name, slot);
    if (kept.length !== request.owners.length) throw unexpectedReply(kept);
    return kept.map((flag) => flag === 1);
  }

  override async finish(ms: number): Promise<void> {
    await Promise.all([super.finish(ms), this.leaving.finish(ms)]);
  }

  /** May be executed twice. Resolves with the server's time. */
  private tryLeave(request: Omit<LeaveRequest, 'lease'>): Promise<number> {
    const { name } = request;
    const send = (deadline: number) => this.queueScripts.leave(request, deadline);
    return this.whenReady(this.queueScripts.keyOf(name), send, name);
  }
}
