import { fairChannel } from '../../keys/redisson-keys.js';
import { Deadline } from '../../time/deadline-timer.js';
import { ChannelListener } from '../channel-listener.js';
import { leaseIn } from '../queue/announced-releases.js';
import type { FairWaiter, FairWaiting } from './fair-waiter.js';
import type { GrantListener } from './grant-listener.js';

/**
 * The first waiter listens to its own channel as well after this time, ms: a holder of an older version tells it there.
 */
const OWN_CHANNEL_AFTER_MS = 100;

/**
 * How the first waiter of a process hears that it is its turn. If only waiters of ours are ahead, it is given the lock,
 * and a subscription of its own would cost as much as the rest. Redisson tells it on its own channel.
 */
export class TurnListener extends Deadline {
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
