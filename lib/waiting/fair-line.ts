import type { FairLockTransitions, QueuedOutcome } from '../backend/fair-lock-transitions.js';
import { isPassing, LockUnavailableError } from '../errors.js';
import { fairChannel } from '../keys/names.js';
import { runOutsideRegions } from '../scope/current-region.js';
import type { LockEvents } from '../observability/lock-events.js';
import type { OwnerId, OwnerIds } from '../scope/owner.js';
import type { ScheduledTask } from '../time/scheduler.js';
import type { Stopwatch } from '../time/stopwatch.js';
import type { WaitEnd } from '../time/wait-limit.js';
import { type Acquired, leaseSpent } from './attempt.js';
import { pauseAfter, UNAVAILABLE_PAUSE_MS } from './contention.js';
import { Ear } from './ear.js';
import type { Waiting } from './line.js';
import { type Asked, type LastSeen, refusal } from './refusal.js';
import type { UnderWay } from './under-way.js';
import { WakeUp } from './wake-up.js';

/** The share of a slot after which all places are kept anew, and after which a keeping that failed is tried again. */
const KEEP = 1 / 3;
const KEEP_AGAIN = 1 / 10;

/** Slept at least: a place that ends this instant may be seen to end in the next. */
const SHORTEST_PAUSE_MS = 10;

/** What the waiting for all fair locks of one connection shares. */
export interface FairWaiting extends Waiting {
  readonly owners: OwnerIds;
  readonly events: LockEvents;
  /** Milliseconds for which the server keeps the place of a waiter that it does not hear of. */
  readonly slot: number;
}

interface Waiter {
  readonly asked: Asked;
  readonly lease: number;
  /** Its place on the server is under this. */
  owner: OwnerId;
  isTrying: boolean;
  isArriving: boolean;
  /** Whether there is anything on the server to give up. */
  mayHavePlace: boolean;
  grant(got: Acquired): void;
  refuse(error: unknown): void;
}

/** Milliseconds until another try may show something else than the last. */
const pauseFor = (seen: LastSeen): number => {
  if (seen instanceof LockUnavailableError) return UNAVAILABLE_PAUSE_MS * (0.5 + Math.random());
  return seen ? Math.max(SHORTEST_PAUSE_MS, pauseAfter(seen)) : Number.POSITIVE_INFINITY;
};

/**
 * Everybody in this process who waits for one fair lock. Each has a place of its own in the queue on the server, from
 * the moment it comes. Only the first of them contends: it listens to the channel on which it alone is told, tries
 * again, and sleeps. Every third of a slot all places are kept by one request.
 */
export class FairLine {
  private readonly waiters = new Map<OwnerId, Waiter>();
  /** Those who have a place, in the order of the server. */
  private places = new Set<Waiter>();
  /** Those whose wait is over, but who are told only when their try that is on its way has shown how things stand. */
  private readonly overdue = new Map<Waiter, WaitEnd>();
  private readonly wakeUp: WakeUp;
  private contending = false;
  private keeper: ScheduledTask | undefined;
  private lastSeen: LastSeen;

  constructor(
    private readonly name: string,
    private readonly locks: FairLockTransitions,
    private readonly waiting: FairWaiting,
    private readonly underWay: UnderWay,
    private readonly onIdle: () => void,
  ) {
    this.wakeUp = new WakeUp(waiting.scheduler);
  }

  /** Waits in the queue. Rejects when the limit ends, with nothing left behind. */
  enter(asked: Asked, lease: number): Promise<Acquired> {
    return new Promise((resolve, reject) => {
      const stopWatching = asked.limit.watch((end) => this.giveUp(waiter, end));
      const waiter: Waiter = {
        asked,
        lease,
        owner: this.waiting.owners.next(),
        isTrying: false,
        isArriving: false,
        mayHavePlace: false,
        grant: (got) => {
          stopWatching();
          resolve(got);
        },
        refuse: (error) => {
          stopWatching();
          reject(error);
        },
      };
      this.waiters.set(waiter.owner, waiter);
      runOutsideRegions(() => this.arrive(waiter));
    });
  }

  private get first(): Waiter | undefined {
    const [first] = this.places;
    return first;
  }

  private isWaiting(waiter: Waiter): boolean {
    return this.waiters.get(waiter.owner) === waiter;
  }

  /** Tries until the waiter has a place, or the lock. */
  private arrive(waiter: Waiter): void {
    if (waiter.isArriving) return;
    waiter.isArriving = true;
    this.untilPlaced(waiter)
      .catch((error: unknown) => this.refuseAll(error))
      .finally(() => {
        waiter.isArriving = false;
      });
  }

  private async untilPlaced(waiter: Waiter): Promise<void> {
    while (this.isWaiting(waiter) && !this.places.has(waiter)) {
      await this.try(waiter);
      if (!this.isWaiting(waiter) || this.places.has(waiter)) break;
      // All for as long: they are to come in the order in which they came first.
      await this.waiting.scheduler.pause(UNAVAILABLE_PAUSE_MS, { keepAlive: true });
    }
  }

  private async contend(): Promise<void> {
    for (let first = this.first; first; first = this.first) await this.contendFor(first);
    this.contending = false;
    this.keeper?.cancel();
  }

  /** Until somebody else is the first. */
  private async contendFor(first: Waiter): Promise<void> {
    const { polling, wakeUps } = this.waiting;
    const channel = fairChannel(this.name, first.owner);
    const ear = new Ear(wakeUps, channel, this.wakeUp.notify, (error) => this.refuseAll(error));
    let pause = pauseFor(this.lastSeen);
    // What was said so far was said to somebody else.
    this.wakeUp.forget();
    while (this.first === first) {
      ear.listen();
      await this.wakeUp.sleep(Math.min(pause, ear.hears ? polling.safety : polling.deaf));
      if (this.first !== first) break;
      this.wakeUp.forget();
      await this.try(first);
      pause = pauseFor(this.lastSeen);
    }
    ear.close();
    // Its place is gone, or worth nothing: it comes anew.
    if (!this.places.has(first)) this.arrive(first);
  }

  private try(waiter: Waiter): Promise<void> {
    return this.underWay.add(this.tryFor(waiter));
  }

  private async tryFor(waiter: Waiter): Promise<void> {
    const { owner, lease } = waiter;
    waiter.isTrying = true;
    try {
      const reply = await this.locks.queue({ name: this.name, owner, lease, slot: this.waiting.slot });
      waiter.mayHavePlace = true;
      if (reply.outcome === 'acquired') this.granted(waiter, reply.sent);
      else this.placed(waiter, reply);
    } catch (error) {
      if (isPassing(error)) this.failed(waiter, error);
      else this.refuseAll(error);
    } finally {
      waiter.isTrying = false;
      const end = this.overdue.get(waiter);
      this.overdue.delete(waiter);
      if (end) this.refuse(waiter, refusal(waiter.asked, end, this.lastSeen));
      else if (!this.isWaiting(waiter)) this.leave(waiter);
    }
  }

  private granted(waiter: Waiter, sent: Stopwatch): void {
    // It gave up meanwhile, and is about to leave.
    if (!this.isWaiting(waiter)) return;
    const { owner, lease } = waiter;
    const acquired = { owner, sent, lease, fence: undefined };
    const spent = leaseSpent(this.name, acquired);
    this.lastSeen = spent ?? { holder: owner, remaining: lease };
    if (spent) {
      this.startAnew(waiter);
      return;
    }
    waiter.mayHavePlace = false;
    this.remove(waiter);
    waiter.grant(acquired);
  }

  /** Under another owner id: giving up what there is under this one may go on for a while. */
  private startAnew(waiter: Waiter): void {
    this.leave(waiter);
    this.waiters.delete(waiter.owner);
    this.losePlace(waiter);
    waiter.owner = this.waiting.owners.next();
    waiter.mayHavePlace = false;
    this.waiters.set(waiter.owner, waiter);
  }

  private placed(waiter: Waiter, { outcome, holder, remaining, head }: QueuedOutcome): void {
    this.lastSeen = { holder, remaining };
    if (!this.isWaiting(waiter)) return;
    const before = this.first;
    if (outcome === 'queued') this.places.delete(waiter);
    this.places.add(waiter);
    // Replies that got lost, or places that ended unnoticed, may have left us with another order than the server's.
    const next = this.waiters.get(head);
    if (next && next !== this.first && this.places.has(next)) this.places = new Set([next, ...this.places]);
    if (this.first !== before) this.wakeUp.notify();
    if (this.contending) return;
    this.contending = true;
    this.keepLater(this.waiting.slot * KEEP);
    this.contend().catch((error: unknown) => this.refuseAll(error));
  }

  private failed(waiter: Waiter, error: LockUnavailableError): void {
    if (error.outcome === 'unknown') waiter.mayHavePlace = true;
    this.lastSeen = error;
  }

  private keepLater(ms: number): void {
    this.keeper?.cancel();
    this.keeper = this.waiting.scheduler.schedule(ms, () => void this.underWay.add(this.keep()));
  }

  private async keep(): Promise<void> {
    const { slot } = this.waiting;
    const places = [...this.places];
    const owners = places.map(({ owner }) => owner);
    let share = KEEP;
    try {
      const kept = await this.locks.keep({ name: this.name, owners, slot });
      places.forEach((waiter, index) => {
        // A try finds that out for itself, or has got the lock, which ends the place as well.
        if (kept[index] || waiter.isTrying || waiter.owner !== owners[index]) return;
        this.losePlace(waiter);
        if (this.isWaiting(waiter)) this.arrive(waiter);
      });
    } catch (error) {
      if (!isPassing(error)) this.refuseAll(error);
      share = KEEP_AGAIN;
    }
    if (this.contending) this.keepLater(slot * share);
  }

  private losePlace(waiter: Waiter): void {
    if (this.first === waiter) this.wakeUp.notify();
    this.places.delete(waiter);
  }

  private giveUp(waiter: Waiter, end: WaitEnd): void {
    // Its own try may still succeed.
    if (waiter.isTrying && end.cause === 'elapsed') this.overdue.set(waiter, end);
    else this.refuse(waiter, refusal(waiter.asked, end, this.lastSeen));
  }

  /** What can only be answered so is the answer for everybody. */
  private refuseAll(error: unknown): void {
    for (const waiter of this.waiters.values()) this.refuse(waiter, error);
  }

  private refuse(waiter: Waiter, error: unknown): void {
    if (!this.isWaiting(waiter)) return;
    this.remove(waiter);
    waiter.refuse(error);
    if (!waiter.isTrying) this.leave(waiter);
  }

  private remove(waiter: Waiter): void {
    this.waiters.delete(waiter.owner);
    this.losePlace(waiter);
    if (this.waiters.size === 0) this.onIdle();
  }

  /** Gives up the place, and the lock if a try got it. */
  private leave({ owner, lease, mayHavePlace }: Waiter): void {
    if (!mayHavePlace) return;
    const { events, slot } = this.waiting;
    this.underWay
      .add(this.locks.leave({ name: this.name, owner, lease, slot }))
      .catch((error: unknown) => events.emit({ type: 'release-failed', lockName: this.name, owner, error }));
  }
}
