import type { QueuedOutcome } from '../../backend/fair-lock-operations.js';
import { isPassing, LockUnavailableError } from '../../errors.js';
import { fairChannel } from '../../keys/lock-name.js';
import { runOutsideRegions } from '../../context/owner-context.js';
import type { OwnerId } from '../../context/ids.js';
import type { Stopwatch } from '../../time/stopwatch.js';
import type { WaitEnd } from '../../time/wait-limit.js';
import { type Acquired, leaseSpent } from '../lock-attempts.js';
import { pauseAfter, UNAVAILABLE_PAUSE_MS, untilLastLook } from '../pause.js';
import { ChannelListener } from '../channel-listener.js';
import { QueueHeartbeat } from './queue-heartbeat.js';
import { ServerOrder } from './server-order.js';
import { FairWaiter, type FairWaiting } from './fair-waiter.js';
import { type AcquireContext, type LastOutcome, queueFull, refusal } from '../wait-errors.js';
import { WakeSignal } from '../contender-sleep.js';

/** Slept at least: a place that ends this instant may be seen to end in the next. */
const SHORTEST_PAUSE_MS = 10;

/** Milliseconds until another try may show something else than the last. */
const pauseFor = (seen: LastOutcome): number =>
  seen ? Math.max(SHORTEST_PAUSE_MS, pauseAfter(seen)) : Number.POSITIVE_INFINITY;

/**
 * Everybody in this process who waits for one fair lock. Each has a place of its own in the queue on the server, from
 * the moment it comes. Only the first of them contends: it listens to the channel on which it alone is told, tries
 * again, and sleeps. All places are kept meanwhile.
 */
export class FairWaitQueue {
  private readonly waiters = new Map<OwnerId, FairWaiter>();
  /** Those on their way to a place, in the order in which they came. */
  private readonly arriving = new Set<FairWaiter>();
  private admitting = false;
  private readonly places = new ServerOrder<FairWaiter>();
  /** Those whose wait is over, but who are told only when their try that is on its way has shown how things stand. */
  private readonly overdue = new Map<FairWaiter, WaitEnd>();
  private readonly wakeUp: WakeSignal;
  private contending = false;
  private readonly keeper: QueueHeartbeat;
  private lastSeen: LastOutcome;

  constructor(
    private readonly name: string,
    private readonly waiting: FairWaiting,
    private readonly onIdle: () => void,
  ) {
    this.wakeUp = new WakeSignal(waiting.scheduler);
    this.keeper = new QueueHeartbeat(name, waiting, this.places, {
      lost: (waiter) => this.comeAnew(waiter),
      failed: (error) => this.refuseAll(error),
    });
  }

  /** Waits in the queue. Rejects when the limit ends, with nothing left behind. */
  enter(asked: AcquireContext, lease: number): Promise<Acquired> {
    const { size } = this.waiters;
    if (size >= this.waiting.maxQueue) return Promise.reject(queueFull(asked, size));
    return new Promise((resolve, reject) => {
      const watching = asked.limit.watch({ onEnd: (end) => this.giveUp(waiter, end) });
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
      runOutsideRegions(() => this.arrive(waiter));
    });
  }

  private isWaiting(waiter: FairWaiter): boolean {
    return this.waiters.get(waiter.owner) === waiter;
  }

  private isToArrive(waiter: FairWaiter): boolean {
    return this.isWaiting(waiter) && !this.places.has(waiter);
  }

  private arrive(waiter: FairWaiter): void {
    if (!this.isToArrive(waiter)) return;
    this.arriving.add(waiter);
    if (this.admitting) return;
    this.admitting = true;
    this.admit().catch((error: unknown) => this.refuseAll(error));
  }

  /**
   * Tries for one after the other until each has a place, or the lock. Side by side they would overtake each other where
   * replies are late or lost; and it takes no longer than the lock itself takes to go from one to the next.
   */
  private async admit(): Promise<void> {
    for (const waiter of this.arriving) {
      while (this.isToArrive(waiter)) {
        await this.try(waiter);
        if (this.isToArrive(waiter)) await this.waiting.scheduler.pause(UNAVAILABLE_PAUSE_MS, { keepAlive: true });
      }
      this.arriving.delete(waiter);
    }
    this.admitting = false;
  }

  private async contend(): Promise<void> {
    for (let first = this.places.first; first; first = this.places.first) await this.contendFor(first);
    this.contending = false;
    this.keeper.stop();
  }

  /** Until somebody else is the first. */
  private async contendFor(first: FairWaiter): Promise<void> {
    const { polling, wakeUps, scheduler } = this.waiting;
    const channel = fairChannel(this.name, first.owner);
    const ear = new ChannelListener(wakeUps, channel, this.wakeUp.notify, (error) => this.refuseAll(error));
    let pause = pauseFor(this.lastSeen);
    // What was said so far was said to somebody else.
    this.wakeUp.forget();
    while (this.places.first === first) {
      ear.listen();
      const look =
        this.lastSeen instanceof LockUnavailableError ? Number.POSITIVE_INFINITY : untilLastLook(first.asked.limit);
      const due = scheduler.now() + look - 1;
      await this.wakeUp.sleep(Math.min(pause, ear.hears ? polling.safety : polling.deaf, look));
      if (this.places.first !== first) break;
      this.wakeUp.forget();
      first.isLastLook = scheduler.now() >= due;
      await this.try(first);
      first.isLastLook = false;
      pause = pauseFor(this.lastSeen);
    }
    ear.close();
    // Its place may be gone, or be worth nothing any more.
    this.arrive(first);
  }

  private try(waiter: FairWaiter): Promise<void> {
    return this.waiting.underWay.add(this.tryFor(waiter));
  }

  private async tryFor(waiter: FairWaiter): Promise<void> {
    waiter.isTrying = true;
    try {
      const reply = await waiter.try();
      // Who gave up meanwhile leaves now.
      if (!this.isWaiting(waiter)) return;
      if (reply.outcome === 'acquired') this.granted(waiter, reply.sent);
      else this.placed(waiter, reply);
    } catch (error) {
      if (isPassing(error)) this.lastSeen = error;
      else this.refuseAll(error);
    } finally {
      waiter.isTrying = false;
      const end = this.overdue.get(waiter);
      this.overdue.delete(waiter);
      if (end) this.refuse(waiter, refusal(waiter.asked, end, this.lastSeen));
      else if (!this.isWaiting(waiter)) waiter.leave();
    }
  }

  private granted(waiter: FairWaiter, sent: Stopwatch): void {
    const { owner, lease } = waiter;
    const acquired = { owner, sent, lease, fence: undefined };
    const spent = leaseSpent(this.name, acquired);
    this.lastSeen = spent ?? { holder: owner, remaining: lease };
    this.losePlace(waiter);
    this.waiters.delete(owner);
    if (spent) {
      waiter.startAnew();
      this.waiters.set(waiter.owner, waiter);
      return;
    }
    waiter.grant(acquired);
    this.becomeIdle();
  }

  private placed(waiter: FairWaiter, { outcome, holder, remaining, head }: QueuedOutcome): void {
    // The head of the queue holds nothing: where it is named as the holder, the lock is free.
    this.lastSeen = holder === head ? { next: head, remaining } : { holder, remaining };
    const before = this.places.first;
    if (outcome === 'queued') this.places.delete(waiter);
    this.places.add(waiter);
    // Replies that got lost, or places that ended unnoticed, may have left us with another order than the server's.
    const next = this.waiters.get(head);
    if (next && next !== this.places.first && this.places.has(next)) this.places.putFirst(next);
    if (this.places.first !== before) this.wakeUp.notify();
    if (this.contending) return;
    this.contending = true;
    this.keeper.start();
    this.contend().catch((error: unknown) => this.refuseAll(error));
  }

  private comeAnew(waiter: FairWaiter): void {
    // A try finds that out for itself, or has got the lock, which ends the place as well.
    if (waiter.isTrying) return;
    this.losePlace(waiter);
    this.arrive(waiter);
  }

  private losePlace(waiter: FairWaiter): void {
    if (this.places.first === waiter) this.wakeUp.notify();
    this.places.delete(waiter);
  }

  private giveUp(waiter: FairWaiter, end: WaitEnd): void {
    // Its own try may still succeed; but for one more look it does not wait longer than it was to.
    if (waiter.isTrying && !waiter.isLastLook && end.cause === 'elapsed') this.overdue.set(waiter, end);
    else this.refuse(waiter, refusal(waiter.asked, end, this.lastSeen));
  }

  /** What can only be answered so is the answer for everybody. */
  private refuseAll(error: unknown): void {
    for (const waiter of this.waiters.values()) this.refuse(waiter, error);
  }

  private refuse(waiter: FairWaiter, error: unknown): void {
    if (!this.isWaiting(waiter)) return;
    this.losePlace(waiter);
    this.waiters.delete(waiter.owner);
    waiter.refuse(error);
    this.becomeIdle();
  }

  private becomeIdle(): void {
    if (this.waiters.size === 0) this.onIdle();
  }
}
