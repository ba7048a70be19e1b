import type { MessageListener, PubSub, Subscription } from '../../lib/backend/pubsub.js';

/** A subscription whose state the test sets. */
export class ScriptedSubscription implements Subscription {
  alive = true;
  cancelled = 0;

  constructor(
    readonly channel: string,
    readonly listener: MessageListener,
  ) {}

  cancel(): void {
    this.cancelled += 1;
  }
}

/** Pub/sub that the test plays. It confirms subscriptions and sends announcements. */
export class ScriptedPubSub implements PubSub {
  readonly subscriptions: ScriptedSubscription[] = [];
  /** Whether a confirmed subscription is alive at once. */
  areAlive = true;
  /** The number of requested subscriptions. */
  asked = 0;
  /** Settles when a subscription is confirmed or refused. */
  answer: (channel: string) => Promise<void> = async () => {};

  async subscribe(channel: string, listener: MessageListener): Promise<Subscription> {
    this.asked += 1;
    await this.answer(channel);
    const subscription = new ScriptedSubscription(channel, listener);
    subscription.alive = this.areAlive;
    this.subscriptions.push(subscription);
    return subscription;
  }

  get active(): readonly ScriptedSubscription[] {
    return this.subscriptions.filter(({ alive, cancelled }) => alive && cancelled === 0);
  }

  /** @param message Default: that a release may have been missed. */
  announce(message?: string): void {
    for (const { listener } of this.active) listener(message);
  }
}
