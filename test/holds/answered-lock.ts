import type {
  AcquireOutcome,
  HoldOutcome,
  HoldRequest,
  LeaveBehindRequest,
  LockOperations,
  LockState,
  ReleaseOutcome,
  ReleaseRequest,
  Renewal,
  RenewOutcome,
} from '../../lib/backend/lock-operations.js';
import { type MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';

/** A command in flight, which the test answers. */
export interface Command<Request, Reply> {
  readonly request: Request;
  readonly sent: Stopwatch;
  answer(reply: Reply): void;
  fail(error: Error): void;
}

/** All commands of one type, in the order in which they were sent. */
export class Commands<Request, Reply> {
  readonly requests: Request[] = [];
  private readonly unanswered: Command<Request, Reply>[] = [];

  constructor(
    private readonly type: string,
    private readonly scheduler: MonotonicScheduler,
    private readonly log: string[],
  ) {}

  get pending(): number {
    return this.unanswered.length;
  }

  send(request: Request): Promise<Reply> {
    this.requests.push(request);
    this.log.push(this.type);
    return new Promise((resolve, reject) => {
      this.unanswered.push({ request, sent: new Stopwatch(this.scheduler), answer: resolve, fail: reject });
    });
  }

  /** Takes the oldest command that has no reply yet. */
  next(): Command<Request, Reply> {
    const next = this.unanswered.shift();
    if (!next) throw new Error(`No ${this.type} command waits for a reply`);
    return next;
  }
}

/** A lock on a server that the test plays. */
export class AnsweredLock implements LockOperations {
  /** The type of each command, in the order in which they were sent. */
  readonly log: string[] = [];
  readonly holds: Commands<HoldRequest, HoldOutcome>;
  readonly releases: Commands<ReleaseRequest, ReleaseOutcome>;
  readonly leavings: Commands<LeaveBehindRequest, boolean>;
  readonly renewals: Commands<readonly Renewal[], RenewOutcome>;
  readonly inspections: Commands<string, LockState>;

  constructor(scheduler: MonotonicScheduler) {
    this.holds = new Commands('hold', scheduler, this.log);
    this.releases = new Commands('release', scheduler, this.log);
    this.leavings = new Commands('leaveBehind', scheduler, this.log);
    this.renewals = new Commands('renew', scheduler, this.log);
    this.inspections = new Commands('inspect', scheduler, this.log);
  }

  /** Confirms the oldest `hold` command. */
  answerHeld(): void {
    const command = this.holds.next();
    command.answer({ outcome: 'held', sent: command.sent });
  }

  /** Answers the oldest renewal, with the same outcome for all of its holds. */
  answerRenewal(isHeld: boolean): void {
    const command = this.renewals.next();
    command.answer({ sent: command.sent, held: command.request.map(() => isHeld) });
  }

  /** Answers the oldest `inspect` command. */
  answerInspection(count: number): void {
    this.inspections.next().answer({ locked: count > 0, count, remaining: count > 0 ? 1000 : -2 });
  }

  acquire(): Promise<AcquireOutcome> {
    return Promise.reject(new Error('The lock is granted already'));
  }

  hold(request: HoldRequest): Promise<HoldOutcome> {
    return this.holds.send(request);
  }

  release(request: ReleaseRequest): Promise<ReleaseOutcome> {
    return this.releases.send(request);
  }

  leaveBehind(request: LeaveBehindRequest): Promise<boolean> {
    return this.leavings.send(request);
  }

  renew(renewals: readonly Renewal[]): Promise<RenewOutcome> {
    return this.renewals.send(renewals);
  }

  forceRelease(): Promise<boolean> {
    return Promise.reject(new Error('A grant does not force a release'));
  }

  inspect(name: string): Promise<LockState> {
    return this.inspections.send(name);
  }
}
