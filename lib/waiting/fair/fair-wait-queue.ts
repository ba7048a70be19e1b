import { Deadline, type MonotonicScheduler } from '../../time/scheduler.js';
import { pauseAfter, pauseUnanswered, WakeSignal } from '../wake-signal.js';
import { FairWaiter, type FairWaiting } from './fair-waiter.js';
import { fairChannel } from '../../keys/redisson-keys.js';
import { ChannelListener } from '../channel-listener.js';
import { leaseIn } from '../queue/releases.js';
import { GrantListener } from './grant-listener.js';
import type { QueuedOutcome } from '../../backend/kinds/queued-lock.js';
import type { ReceivedGrant } from '../../backend/kinds/lock/granting-lock.js';
import { isPassing, LockUnavailableError } from '../../errors.js';
import { runOutsideContexts } from '../../context/owner-context.js';
import { isOurs, type OwnerId } from '../../context/owner-ids.js';
import type { WaitEnd } from '../../time/wait-limit.js';
import { type Acquired, leaseSpent } from '../lock-attempts.js';
import { QueueHeartbeat, ServerOrder } from './queue-heartbeat.js';
import { queueFull, refusal } from '../wait-errors.js';
import type { LastOutcome, PermitsInUse } from '../attempt-strategy.js';
import { Outcomes } from '../outcomes.js';
import type { AcquireContext } from '../acquirer.js';

/** The queue as {@link Arrivals} needs it. */
interface Admitting {
  /** Whether the waiter still waits, and has no place. */
  isToArrive(waiter: FairWaiter): boolean;
  attempt(waiter: FairWaiter): Promise<void>;
  /** The number of attempts in a row that were not answered. */
  unanswered(): number;
  failed(error: unknown): void;
}

/** The waiters of one process without a place in the queue of a fair lock, in order of arrival. */
export class Arrivals {
  private readonly arriving = new Set<FairWaiter>();
  private isAdmitting = false;

  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly queue: Admitting,
  ) {}

  /** The one that attempts. */
  get first(): FairWaiter | undefined {
    return this.arriving.values().next().value;
  }

  arrive(waiter: FairWaiter): void {
    if (!this.queue.isToArrive(waiter)) return;
    this.arriving.add(waiter);
    if (this.isAdmitting) return;
    this.isAdmitting = true;
    this.admit().catch((error: unknown) => this.queue.failed(error));
  }

  /**
   * Tries for one waiter after the other until each has a place or the lock. Concurrent attempts would overtake each
   * other if replies are late or lost. One at a time is still as fast as the lock itself changes hands.
   */
  private async admit(): Promise<void> {
    const { queue, scheduler } = this;
    for (const waiter of this.arriving) {
      while (queue.isToArrive(waiter)) {
        await queue.attempt(waiter);
        if (queue.isToArrive(waiter)) await scheduler.pause(pauseUnanswered(queue.unanswered()), { keepAlive: true });
      }
      this.arriving.delete(waiter);
    }
    this.isAdmitting = false;
  }
}

/**
 * The first waiter listens to its own channel as well after this time, ms: a holder of an older version tells it there.
 */
const OWN_CHANNEL_AFTER_MS = 100;

/**
 * How the first waiter of a process hears that it is its turn. If only waiters of ours are ahead, it is given the lock,
 * and a subscription of its own would cost as much as the rest. Redisson tells it on its own channel.
 */
class TurnListener extends Deadline {
  readonly at: number;
  private readonly own: ChannelListener;

  constructor(
    private readonly first: FairWaiter,
    private readonly grants: GrantListener,
    private readonly waiting: FairWaiting,
    heard: { readonly turn: () => void; readonly lease: (ms: number) => void },
    onError: (error: unknown) => void,
  ) {
    super();
    this.at = waiting.scheduler.now() + OWN_CHANNEL_AFTER_MS;
    const onMessage = (message?: string): void => {
      const lease = leaseIn(message);
      if (lease === undefined) heard.turn();
      else heard.lease(lease);
    };
    this.own = new ChannelListener(waiting.pubSub, fairChannel(first.context.name, first.owner), {
      onMessage,
      onUnsubscribed: () => heard.turn(),
      onFailed: onError,
    });
    if (this.isGiven) waiting.scheduler.deadlines.add(this);
  }

  /** Listens from now on. Returns the milliseconds after which the waiter asks even if it has heard nothing. */
  listen(): number {
    const { first, grants, own, isGiven, waiting } = this;
    const { polling, scheduler } = waiting;
    grants.listen();
    if (!isGiven || scheduler.now() >= this.at) own.listen();
    if (first.mayHold) return 0;
    const hears = isGiven ? grants.isHearing : own.isHearing;
    return hears ? polling.subscribed : polling.unsubscribed;
  }

  override onPassed(): void {
    this.own.listen();
  }

  close(): void {
    this.waiting.scheduler.deadlines.delete(this);
    this.own.close();
  }

  private get isGiven(): boolean {
    return this.grants.isPossible && !this.first.isMixed;
  }
}

/** Shortest sleep: a place that expires now may still be found for a moment. */
const MIN_PAUSE_MS = 10;

/** Milliseconds until another attempt of this owner may have a different outcome. */
const pauseFor = (owner: OwnerId, outcome: LastOutcome, unanswered: number): number => {
  if (!outcome) return Number.POSITIVE_INFINITY;
  const isReserved = !(outcome instanceof LockUnavailableError) && outcome.next === owner;
  return isReserved ? 0 : Math.max(MIN_PAUSE_MS, pauseAfter(outcome, unanswered));
};

/**
 * The waiters of this process for one fair lock. Each has its own place in the queue on the server from the moment it
 * arrives. They are given the lock on one channel. Only the first one contends, in case it is only told that it is its
 * turn: it tries again, and sleeps. Meanwhile all places are kept alive.
 */
export class FairWaitQueue {
  readonly waiters = new Map<OwnerId, FairWaiter>();
  private readonly arrivals: Arrivals;
  private readonly order = new ServerOrder<FairWaiter>();
  /** Waiters whose wait ended during their attempt. They are rejected once its result shows the state of the lock. */
  private readonly expiredDuringAttempt = new Map<FairWaiter, WaitEnd>();
  private readonly wakeSignal: WakeSignal;
  private contending = false;
  /** Whether more is known of the lock than when the first waiter fell asleep, so that it sleeps for the wrong time. */
  private hasNews = false;
  private readonly heartbeat: QueueHeartbeat;
  private readonly grants: GrantListener;
  private readonly outcomes: Outcomes;

  constructor(
    private readonly name: string,
    private readonly waiting: FairWaiting,
    private readonly onIdle: () => void,
  ) {
    this.outcomes = new Outcomes(waiting);
    this.wakeSignal = new WakeSignal(waiting.scheduler);
    const failed = (error: unknown): void => this.rejectAll(error);
    this.arrivals = new Arrivals(waiting.scheduler, {
      isToArrive: (waiter) => this.isWaiting(waiter) && !this.order.has(waiter),
      attempt: (waiter) => this.attempt(waiter),
      unanswered: () => this.outcomes.unanswered,
      failed,
    });
    this.heartbeat = new QueueHeartbeat(name, waiting, this.order, {
      lost: (waiter) => this.rejoin(waiter),
      failed,
    });
    this.grants = new GrantListener(name, waiting, {
      given: (grant) => this.onGiven(grant),
      missed: () => this.onMissed(),
      lease: (ms) => this.onLease(ms),
      failed,
    });
  }

  /** Waits in the queue. Rejects when the limit ends, with nothing left behind. */
  enter(asked: AcquireContext, lease: number): Promise<Acquired> {
    const { size } = this.waiters;
    if (size >= this.waiting.maxQueue) return Promise.reject(queueFull(asked, size));
    return new Promise((resolve, reject) => {
      const onEnd = (end: WaitEnd): void => {
        if (!this.isDeciding(waiter, end)) return this.refuse(waiter, end);
        this.expiredDuringAttempt.set(waiter, end);
        // Only an abort ends its wait before the reply.
        watching = asked.limit.untimed.watch({ onEnd });
      };
      let watching = asked.limit.watch({ onEnd });
      const verdict = {
        granted: (got: Acquired) => {
          watching.stop();
          resolve(got);
        },
        refused: (error: unknown) => {
          watching.stop();
          reject(error);
        },
      };
      const waiter = new FairWaiter(asked, lease, verdict, this.waiting);
      this.waiters.set(waiter.owner, waiter);
      runOutsideContexts(() => this.arrivals.arrive(waiter));
    });
  }

  private isWaiting(waiter: FairWaiter): boolean {
    return this.waiters.get(waiter.owner) === waiter;
  }

  private async contend(): Promise<void> {
    for (let first = this.order.head; first; first = this.order.head) await this.contendFor(first);
    this.contending = false;
    this.heartbeat.stop();
  }

  /** Contends for `first` until another waiter is first. */
  private async contendFor(first: FairWaiter): Promise<void> {
    const turn = new TurnListener(
      first,
      this.grants,
      this.waiting,
      { turn: () => this.wake(), lease: (ms) => this.onLease(ms) },
      (error) => this.rejectAll(error),
    );
    // Earlier notifications were meant for the previous first waiter.
    this.wakeSignal.forget();
    this.hasNews = false;
    while (this.order.head === first) {
      const { last, unanswered } = this.outcomes;
      const limit = last instanceof LockUnavailableError ? undefined : first.context.limit;
      const pause = Math.min(pauseFor(first.owner, last, unanswered), turn.listen());
      const isLastLook = await this.wakeSignal.sleepOrLook(pause, limit);
      if (this.order.head !== first) break;
      this.wakeSignal.forget();
      const { hasNews } = this;
      this.hasNews = false;
      if (hasNews && !isLastLook) continue;
      first.isLastLook = isLastLook;
      await this.attempt(first);
      first.isLastLook = false;
    }
    turn.close();
    // Its place may have expired, or may be worthless.
    this.arrivals.arrive(first);
  }

  /** Lets the first waiter ask. */
  private wake(): void {
    this.hasNews = false;
    this.wakeSignal.notify();
  }

  /** Lets the first waiter sleep for the time that follows from what is known now; but a reason to ask remains one. */
  private sleepAnew(): void {
    if (!this.wakeSignal.isPending) this.hasNews = true;
    this.wakeSignal.notify();
  }

  private attempt(waiter: FairWaiter): Promise<void> {
    return this.waiting.inFlight.add(this.attemptFor(waiter));
  }

  private async attemptFor(waiter: FairWaiter): Promise<void> {
    waiter.isAttempting = true;
    this.outcomes.asking();
    try {
      const reply = await waiter.attempt();
      // A waiter that gave up meanwhile leaves now.
      if (!this.isWaiting(waiter)) return;
      if (reply.outcome !== 'acquired') return this.placed(waiter, reply);
      this.granted(waiter, { sent: reply.sent, lease: waiter.lease, slot: reply.use?.slot });
    } catch (error) {
      if (isPassing(error)) this.outcomes.last = error;
      else this.rejectAll(error);
    } finally {
      waiter.isAttempting = false;
      const end = this.expiredDuringAttempt.get(waiter);
      this.expiredDuringAttempt.delete(waiter);
      if (end) this.refuse(waiter, end);
      // Also a waiter that was rejected with all others during its attempt: the attempt may have acquired the lock.
      if (!this.isWaiting(waiter)) waiter.leave();
    }
  }

  /** A message gave the lock to one of the waiters, or to one that has left and is about to report that. */
  private onGiven({ owner, sent, lease }: ReceivedGrant): void {
    const waiter = this.waiters.get(owner);
    if (!waiter) return;
    // The attempt may show that the lock was lost again. Of a lease that is mostly over, another attempt begins a new one.
    const isCertain = !waiter.isAttempting && !leaseSpent(this.name, { sent, lease });
    if (isCertain && lease >= waiter.lease) {
      this.granted(waiter, { sent, lease: waiter.lease });
    } else {
      // A first lease becomes the whole one before the caller acts under the lock.
      waiter.isGiven = isCertain;
      waiter.mayHold = true;
      this.askFirst(waiter);
    }
    // Also if most of the lease was over after all.
    this.arrivals.arrive(waiter);
  }

  /** One of the waiters may have been given the lock, or told: the first one, or the one that asks for a place. */
  private onMissed(): void {
    for (const waiter of [this.order.head, this.arrivals.first]) if (waiter) waiter.mayHold = true;
    this.wake();
  }

  /** Another process was given the lock, and is followed by the first waiter of this one; or its lease was shortened. */
  private onLease(remaining: number): void {
    const { last } = this.outcomes;
    if (!last || last instanceof LockUnavailableError) return;
    // The reply that is on its way may be older.
    if (this.order.head?.isAttempting || this.arrivals.first?.isAttempting) return this.wake();
    const { next: _, ...busy } = last;
    this.outcomes.last = { ...busy, remaining };
    this.sleepAnew();
  }

  /** Makes a waiter with a place the first, so that it asks next. */
  private askFirst(waiter: FairWaiter): void {
    if (!this.order.has(waiter)) return;
    if (waiter !== this.order.head) this.order.putFirst(waiter);
    this.wake();
  }

  private granted(waiter: FairWaiter, got: Pick<Acquired, 'sent' | 'lease' | 'slot'>): void {
    const { owner } = waiter;
    const acquired = { ...got, owner, fence: undefined };
    const spent = leaseSpent(this.name, acquired);
    this.outcomes.last = spent ?? { holder: owner, remaining: got.lease };
    this.onPlaceLost(waiter);
    this.waiters.delete(owner);
    if (spent) {
      waiter.startOver();
      this.waiters.set(waiter.owner, waiter);
      return;
    }
    waiter.grant(acquired);
    this.becomeIdle();
  }

  private placed(
    waiter: FairWaiter,
    { outcome, holder, remaining, head, isMixed, use }: QueuedOutcome<PermitsInUse>,
  ): void {
    // The head of the queue holds nothing: if it is named as the holder, the lock is free.
    this.outcomes.last = holder === head ? { next: head, remaining } : { holder, remaining, ...use };
    const before = this.order.head;
    if (outcome === 'queued') {
      this.order.delete(waiter);
      // Those ahead stay the same until they have all had the lock.
      waiter.isMixed = isMixed || !isOurs(holder);
    }
    this.order.add(waiter);
    // Lost replies, or places that expired unnoticed, may have let our order diverge from the server's. The holder is
    // a waiter of ours if the message that gave it the lock was lost.
    const named = this.waiters.get(holder) ?? this.waiters.get(head);
    const next = named && this.order.has(named) ? named : waiter;
    if (next === named && next !== this.order.head) this.order.putFirst(next);
    // A message that came meanwhile was for another of ours, if the server names that one.
    if (waiter.mayHold) this.askFirst(next);
    if (this.order.head !== before) this.wake();
    else if (this.order.head !== waiter) this.sleepAnew();
    if (this.contending) return;
    this.contending = true;
    this.heartbeat.start();
    this.contend().catch((error: unknown) => this.rejectAll(error));
  }

  private rejoin(waiter: FairWaiter): void {
    // An attempt in flight notices the lost place itself, or has acquired the lock, which ends the place as well.
    if (waiter.isAttempting) return;
    this.onPlaceLost(waiter);
    this.arrivals.arrive(waiter);
  }

  private onPlaceLost(waiter: FairWaiter): void {
    if (this.order.head === waiter) this.wake();
    this.order.delete(waiter);
  }

  /** Whether its attempt may still succeed after its time. A last look does not prolong the wait. */
  private isDeciding({ isAttempting, isLastLook }: FairWaiter, { cause }: WaitEnd): boolean {
    return isAttempting && !isLastLook && cause === 'elapsed';
  }

  private refuse(waiter: FairWaiter, end: WaitEnd): void {
    this.reject(waiter, refusal(waiter.context, end, this.outcomes.atEndOf(waiter.context.limit)));
  }

  /** A permanent error holds for all waiters. */
  private rejectAll(error: unknown): void {
    for (const waiter of this.waiters.values()) this.reject(waiter, error);
  }

  private reject(waiter: FairWaiter, error: unknown): void {
    if (!this.isWaiting(waiter)) return;
    this.onPlaceLost(waiter);
    this.waiters.delete(waiter.owner);
    waiter.fail(error);
    this.becomeIdle();
  }

  private becomeIdle(): void {
    if (this.waiters.size > 0) return;
    this.grants.close();
    this.onIdle();
  }
}
