import type {
  KeepRequest,
  LeaveRequest,
  QueuedOutcome,
  QueueOutcome,
  QueueRequest,
} from '../../lib/backend/kinds/queued-lock.js';
import type { GrantChannel, ReceivedGrant } from '../../lib/backend/kinds/lock/granting-lock.js';
import { InFlight } from '../../lib/concurrency.js';
import { type OwnerId, OwnerIds } from '../../lib/context/owner-ids.js';
import { type LockEvent, LockEvents } from '../../lib/events/lock-events.js';
import { clientChannel, fairChannel } from '../../lib/keys/redisson-keys.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';
import { WaitLimit } from '../../lib/time/wait-limit.js';
import type { AcquireContext } from '../../lib/waiting/acquirer.js';
import { FairLeaving } from '../../lib/waiting/fair/fair-leaving.js';
import { FairWaitQueue } from '../../lib/waiting/fair/fair-wait-queue.js';
import type { Acquired } from '../../lib/waiting/lock-attempts.js';
import type { FairWaiting } from '../../lib/waiting/fair/fair-waiter.js';
import { HeldPubSub } from './held-pub-sub.js';
import { HeldLock, type HeldRequest, HeldRequests, type Sent } from './held-requests.js';

/** A fair lock whose replies the test gives. */
export class HeldFairLock extends HeldLock {
  readonly queues = new HeldRequests<Sent<QueueRequest>, QueueOutcome>();
  readonly keeps = new HeldRequests<KeepRequest, readonly boolean[]>();
  readonly leaves = new HeldRequests<LeaveRequest, void>();

  constructor(
    scheduler: MonotonicScheduler,
    /** Whether waiters can be given the lock. Otherwise they are told. */
    private readonly gives: boolean,
  ) {
    super(scheduler);
  }

  /** Grants are sent as the owner, the lease, and their age. */
  grantChannel(_name: string, clientId: string): GrantChannel | undefined {
    const read = (message: string): ReceivedGrant | undefined => {
      const [owner = '', lease, age] = message.split(' ');
      return age === undefined
        ? undefined
        : { owner, lease: Number(lease), sent: new Stopwatch(this.scheduler, Number(age)) };
    };
    return this.gives ? { name: clientChannel(NAME, clientId), read } : undefined;
  }

  firstLease(): number {
    return this.gives ? FIRST_LEASE : 0;
  }

  queue(request: QueueRequest): Promise<QueueOutcome> {
    return this.queues.send(this.stamped(request));
  }

  keep(request: KeepRequest): Promise<readonly boolean[]> {
    return this.keeps.send(request);
  }

  leave(request: LeaveRequest): Promise<void> {
    return this.leaves.send(request);
  }
}

/** Owner ids `us:1`, `us:2`, …, in the order in which they are given. */
class CountedIds extends OwnerIds {
  latest: OwnerId = '';

  override next(): OwnerId {
    return (this.latest = super.next());
  }
}

/** A wait and its outcome. */
export interface Wait {
  readonly owner: OwnerId;
  /** `waiting`, `granted <owner id>`, or the name of an error. */
  outcome: string;
  got?: Acquired;
  error?: unknown;
}

interface WaitTerms {
  readonly wait?: number;
  readonly lease?: number;
  readonly signal?: AbortSignal;
}

export const NAME = 'n';
export const LEASE = 30_000;
export const FIRST_LEASE = 3000;
export const SLOT = 60_000;
const COMMAND_TIMEOUT = 100;
export const POLLING = { subscribed: 5000, unsubscribed: 1000 };

/** The dependencies of waiters for fair locks, on a manual clock and with a server that the test plays. */
export class FairParts {
  readonly clock = new ManualClock();
  readonly taskErrors: unknown[] = [];
  readonly scheduler = new MonotonicScheduler(this.clock, (error) => void this.taskErrors.push(error));
  readonly locks: HeldFairLock;
  readonly pubSub = new HeldPubSub();
  readonly owners = new CountedIds('us');
  readonly events = new LockEvents();
  readonly seen: LockEvent[] = [];
  readonly waiting: FairWaiting;

  constructor({ maxQueue = 10_000, gives = false } = {}) {
    this.locks = new HeldFairLock(this.scheduler, gives);
    const { locks, pubSub, owners, events, scheduler } = this;
    events.on((event) => void this.seen.push(event));
    const inFlight = new InFlight();
    const shared = {
      locks,
      pubSub,
      owners,
      events,
      scheduler,
      inFlight,
      polling: POLLING,
      commandTimeout: COMMAND_TIMEOUT,
      maxQueue,
      slot: SLOT,
      isGiven: true,
    };
    this.waiting = { ...shared, leaving: new FairLeaving(shared, inFlight) };
  }

  context({ wait = Number.POSITIVE_INFINITY, signal }: WaitTerms = {}, name = NAME): AcquireContext {
    const limit = new WaitLimit(this.scheduler, wait, signal ? [signal] : []);
    return { what: 'Lock', name, template: undefined, limit };
  }

  /** Lets promises settle without a passing of time. */
  settle(): Promise<void> {
    return this.clock.advance(0);
  }

  /** The owners of attempts without an answer. */
  get attempting(): readonly OwnerId[] {
    return this.locks.queues.unanswered.map(({ owner }) => owner);
  }

  /** The owners that were reported to the server as departed. */
  get left(): readonly OwnerId[] {
    return this.locks.leaves.sent.flatMap(({ owners }) => owners);
  }

  /** Answers an attempt: it is not the owner's turn. */
  async place(owner: OwnerId, reply: Partial<QueuedOutcome> = {}): Promise<void> {
    const head = 'them:2';
    this.attempt(owner).reply({ outcome: 'queued', holder: 'them:1', remaining: -1, head, isMixed: true, ...reply });
    await this.settle();
  }

  async grant(owner: OwnerId): Promise<void> {
    const held = this.attempt(owner);
    held.reply({ outcome: 'acquired', sent: held.request.sentAt });
    await this.settle();
  }

  async fail(owner: OwnerId, error: unknown): Promise<void> {
    this.attempt(owner).fail(error);
    await this.settle();
  }

  /** Acknowledges the subscription to the channel of the owner. */
  async subscribed(owner: OwnerId, alive = true): Promise<void> {
    this.pubSub.subscribes.take((channel) => channel === fairChannel(NAME, owner)).reply(alive);
    await this.settle();
  }

  async publish(owner: OwnerId): Promise<void> {
    this.pubSub.publish(fairChannel(NAME, owner));
    await this.settle();
  }

  /** Acknowledges the subscription to the channel of grants. */
  async subscribedToGrants(alive = true): Promise<void> {
    this.pubSub.subscribes.take((channel) => channel === clientChannel(NAME, this.owners.clientId)).reply(alive);
    await this.settle();
  }

  /** A message gives the lock to an owner. */
  async give(owner: OwnerId, lease = FIRST_LEASE, age = 0): Promise<void> {
    await this.publishToClient(`${owner} ${lease} ${age}`);
  }

  /** Answers the request that sets the whole lease of an owner that was given the lock. */
  async held(owner: OwnerId, outcome: 'held' | 'lost' = 'held'): Promise<void> {
    const { request, reply } = this.locks.holds.take((other) => other.owner === owner);
    reply(outcome === 'held' ? { outcome, sent: request.sentAt } : { outcome });
    await this.settle();
  }

  async publishToClient(message?: string): Promise<void> {
    this.pubSub.publish(clientChannel(NAME, this.owners.clientId), message);
    await this.settle();
  }

  private attempt(owner: OwnerId): HeldRequest<Sent<QueueRequest>, QueueOutcome> {
    return this.locks.queues.take((request) => request.owner === owner);
  }
}

/** The queue of one fair lock. */
export class FairQueueWorld extends FairParts {
  /** The number of times that the queue reported that it has no waiters any more. */
  idle = 0;
  readonly queue = new FairWaitQueue(NAME, this.waiting, () => void (this.idle += 1));

  async enter(terms: WaitTerms = {}): Promise<Wait> {
    const entered = this.queue.enter(this.context(terms), terms.lease ?? LEASE);
    const wait: Wait = { owner: this.owners.latest, outcome: 'waiting' };
    entered.then(
      (got) => {
        wait.outcome = `granted ${got.owner}`;
        wait.got = got;
      },
      (error: unknown) => {
        wait.outcome = error instanceof Error ? error.name : String(error);
        wait.error = error;
      },
    );
    await this.settle();
    return wait;
  }

  /** Starts a wait that gets a place in the queue, behind waiters of other processes. */
  async enterPlaced(terms: WaitTerms = {}, reply: Partial<QueuedOutcome> = {}): Promise<Wait> {
    const wait = await this.enter(terms);
    await this.place(wait.owner, reply);
    return wait;
  }

  /** Starts a wait that gets a place, subscribes, makes another attempt in vain, and sleeps. */
  async enterFirst(terms: WaitTerms = {}, reply: Partial<QueuedOutcome> = {}): Promise<Wait> {
    const wait = await this.enterPlaced(terms, reply);
    await this.subscribed(wait.owner);
    await this.place(wait.owner, { outcome: 'waiting', ...reply });
    return wait;
  }

  /** Everything that could go on after the last wait has ended. A test expects none of it. */
  get leftovers(): object {
    const { channels } = this.pubSub;
    return { timers: this.clock.pending, channels, attempting: this.attempting, taskErrors: this.taskErrors };
  }
}

export const NOTHING = { timers: 0, channels: [], attempting: [], taskErrors: [] };
