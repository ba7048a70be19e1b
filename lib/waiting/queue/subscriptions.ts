import type { ReleaseOutcome } from '../../backend/lock-operations.js';
import { Deadline } from '../../time/scheduler.js';
import type { WaitDependencies } from '../acquirer.js';
import type { AttemptStrategy, ServerWait, ServerWaitListener } from '../attempt-strategy.js';
import {
  AnnouncedReleases,
  askersAfter,
  notifiedBy,
  type ReleaseListener,
  type Releases,
  UnannouncedReleases,
} from './releases.js';

/** How long a client that can be given a lock listens on after its last waiter left, ms. */
const LISTENING_ON_MS = 500;

/** The queue that subscriptions belong to. */
export interface SubscriptionListener<Got> extends ReleaseListener, ServerWaitListener<Got> {
  /** Called when the subscriptions have been kept without waiters for some time. */
  onUnused(): void;
}

/** The time for which subscriptions without waiters are kept. */
class Unused extends Deadline {
  constructor(
    readonly at: number,
    private readonly onOver: () => void,
  ) {
    super();
  }

  override onPassed(): void {
    this.onOver();
  }
}

/** The subscriptions of a wait queue: to releases, and to grants if the server can give it the lock. */
export class Subscriptions<Wanted, Got extends object> {
  readonly releases: Releases;
  /** Absent: this process waits alone. */
  readonly serverWait: ServerWait<Wanted, Got> | undefined;
  /** From when the last waiter left. If another has come by its end, that has no effect. */
  private unused: Unused | undefined = undefined;
  /** Whether other clients asked for the lock after the last release. */
  private othersAsk = false;

  /** @param channel Announces that another attempt may succeed; absent if nothing announces it. */
  constructor(
    name: string,
    channel: string | undefined,
    attempts: AttemptStrategy<Wanted, Got>,
    private readonly waiting: WaitDependencies,
    private readonly listener: SubscriptionListener<Got>,
  ) {
    this.releases =
      channel === undefined
        ? new UnannouncedReleases(waiting, listener)
        : new AnnouncedReleases(channel, waiting, listener, attempts.hearsLeases);
    this.serverWait = attempts.waitOnServer?.(name, waiting.pubSub, listener);
  }

  /** Whether the server can give this client what it waits for, since it learns of all releases and grants. */
  get canBeGiven(): boolean {
    return this.releases.isListening && this.serverWait?.isListening === true;
  }

  listen(): void {
    this.serverWait?.listen();
    this.releases.listen();
  }

  /** Called after a release that gave the lock to none of our clients. */
  afterRelease(outcome: ReleaseOutcome | undefined): void {
    const isAsker = this.releases.isListening && !this.canBeGiven;
    const others = Math.max(0, askersAfter(outcome) - (isAsker ? 1 : 0));
    this.othersAsk = others > 0;
    this.releases.afterRelease(notifiedBy(outcome), others);
  }

  /** Called after a release that gave the lock to one of our clients. */
  passedOn(): void {
    this.othersAsk = false;
    this.releases.passedOn();
  }

  /**
   * Keeps the subscriptions for a while, so that the next waiter waits at once. Returns whether there is a reason to: not
   * beside clients that cannot be given the lock, which would hardly get it from those that come back sooner.
   */
  listenOn(): boolean {
    if (!this.canBeGiven || this.othersAsk) return false;
    this.unused ??= this.beginUnused();
    return true;
  }

  close(): void {
    if (this.unused) this.waiting.scheduler.deadlines.delete(this.unused);
    this.releases.close();
    this.serverWait?.close();
  }

  private beginUnused(): Unused {
    const { scheduler } = this.waiting;
    const unused = new Unused(scheduler.now() + LISTENING_ON_MS, () => {
      this.unused = undefined;
      this.listener.onUnused();
    });
    scheduler.deadlines.add(unused);
    return unused;
  }
}
