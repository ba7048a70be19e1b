import type {
  AcquireOutcome,
  AcquireRequest,
  HoldOutcome,
  HoldRequest,
  LockOperations,
  LockState,
  ReleaseOutcome,
  ReleaseRequest,
  RenewOutcome,
} from '../../lib/backend/lock-operations.js';
import { currentContext, type OwnerContext } from '../../lib/context/owner-context.js';
import { LockUnavailableError } from '../../lib/errors.js';
import { type MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';

/** A request without an answer, which the test gives. */
export interface HeldRequest<Request, Reply> {
  readonly request: Request;
  readonly reply: (reply: Reply) => void;
  readonly fail: (error: unknown) => void;
}

/** Requests of one kind to a server that the test plays. It answers them in any order, at any time. */
export class HeldRequests<Request, Reply> {
  /** All requests so far, in the order in which they were sent. */
  readonly sent: Request[] = [];
  /** The regions from which they were sent. */
  readonly regions = new Set<OwnerContext | undefined>();
  private readonly held: HeldRequest<Request, Reply>[] = [];

  send(request: Request): Promise<Reply> {
    this.sent.push(request);
    this.regions.add(currentContext());
    return new Promise((reply, fail) => {
      this.held.push({ request, reply, fail });
    });
  }

  get unanswered(): readonly Request[] {
    return this.held.map(({ request }) => request);
  }

  /** Takes the oldest unanswered request that matches, and fails if there is none. */
  take(matches: (request: Request) => boolean = () => true): HeldRequest<Request, Reply> {
    const index = this.held.findIndex(({ request }) => matches(request));
    const [found] = index < 0 ? [] : this.held.splice(index, 1);
    if (!found) throw new Error('No such request is unanswered');
    return found;
  }
}

/** An attempt, with the time since it was sent. */
export type Sent<Request> = Request & { readonly sentAt: Stopwatch };

const unexpected = (operation: string): Promise<never> => Promise.reject(new Error(`Nobody should ${operation}`));

/** A lock whose attempts and releases the test answers. Waiters send no other commands. */
export class HeldLock<Request extends AcquireRequest = AcquireRequest> implements LockOperations {
  readonly acquires = new HeldRequests<Sent<Request>, AcquireOutcome>();
  readonly releases = new HeldRequests<ReleaseRequest, ReleaseOutcome>();
  /** Leases that are set for waiters. */
  readonly holds = new HeldRequests<Sent<HoldRequest>, HoldOutcome>();

  constructor(protected readonly scheduler: MonotonicScheduler) {}

  acquire(request: Request): Promise<AcquireOutcome> {
    return this.acquires.send(this.stamped(request));
  }

  release(request: ReleaseRequest): Promise<ReleaseOutcome> {
    return this.releases.send(request);
  }

  hold(request: HoldRequest): Promise<HoldOutcome> {
    return this.holds.send(this.stamped(request));
  }

  leaveBehind(): Promise<boolean> {
    return unexpected('leave a hold behind');
  }

  renew(): Promise<RenewOutcome> {
    return unexpected('renew');
  }

  forceRelease(): Promise<boolean> {
    return unexpected('force a release');
  }

  inspect(): Promise<LockState> {
    return unexpected('inspect');
  }

  protected stamped<R extends object>(request: R): Sent<R> {
    return { ...request, sentAt: new Stopwatch(this.scheduler) };
  }
}

export const unavailable = (outcome: LockUnavailableError['outcome'], permanent = false): LockUnavailableError =>
  new LockUnavailableError(`No answer: ${outcome}`, outcome, permanent);
