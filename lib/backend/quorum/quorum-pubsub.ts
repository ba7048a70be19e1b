import { isPassing } from '../../errors.js';
import type { MonotonicScheduler, ScheduledTask } from '../../time/scheduler.js';
import type { Subscriber, Subscription, PubSub } from '../pubsub.js';
import type { QuorumNode } from './quorum-node.js';
import type { RetryDelay } from './retry-delay.js';

/** Pause between two attempts to subscribe at a node, ms; varied by half of it. */
const LISTEN_AGAIN_MS = 1000;

interface QuorumSubscriptionDeps {
  readonly nodes: readonly QuorumNode[];
  readonly quorum: number;
  readonly retryDelay: RetryDelay;
  readonly scheduler: MonotonicScheduler;
}

/**
 * Messages from all nodes. A release is announced by each node it reaches, so a message is passed on a little later:
 * once it has reached the other nodes as well, and at a different time for each waiter.
 */
export class QuorumPubSub implements PubSub {
  constructor(private readonly listening: QuorumSubscriptionDeps) {}

  /**
   * Resolves once a quorum of the nodes is subscribed to, or none of the others can be at the moment; those are
   * retried.
   */
  subscribe(channel: string, listener: () => void, subscriber?: Subscriber): Promise<Subscription> {
    return new QuorumSubscription(this.listening, channel, listener, subscriber).listen();
  }
}

/** One listener on all nodes. */
class QuorumSubscription implements Subscription, Subscriber {
  private readonly subscriptions = new Map<QuorumNode, Subscription>();
  private readonly tasks = new Set<ScheduledTask>();
  private waking: ScheduledTask | undefined;
  private cancelled = false;

  constructor(
    private readonly listening: QuorumSubscriptionDeps,
    private readonly channel: string,
    private readonly listener: () => void,
    private readonly subscriber: Subscriber | undefined,
  ) {}

  get isInterested(): boolean {
    return !this.cancelled && this.subscriber?.isInterested !== false;
  }

  /** Every holder has a quorum, so a quorum of subscriptions has at least one node in common with it. */
  get alive(): boolean {
    return [...this.subscriptions.values()].filter(({ alive }) => alive).length >= this.listening.quorum;
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => {
      const tries = this.listening.nodes.map(async (node) => {
        await this.listenTo(node);
        if (this.alive) resolve();
      });
      void Promise.all(tries).then(() => resolve());
    });
    return this;
  }

  cancel(): void {
    this.cancelled = true;
    this.waking?.cancel();
    for (const task of this.tasks) task.cancel();
    for (const subscription of this.subscriptions.values()) subscription.cancel();
    this.subscriptions.clear();
  }

  /** Never rejects: subscribes again later after a failure, unless the failure is permanent. */
  private async listenTo(node: QuorumNode): Promise<void> {
    try {
      const subscription = await node.pubSub.subscribe(this.channel, () => this.wake(), this);
      if (this.cancelled) {
        subscription.cancel();
        return;
      }
      this.subscriptions.set(node, subscription);
      // Earlier messages of this node were missed.
      this.wake();
    } catch (error) {
      if (this.cancelled || !isPassing(error)) return;
      this.later(LISTEN_AGAIN_MS * (0.5 + Math.random()), () => void this.listenTo(node));
    }
  }

  private wake(): void {
    if (this.waking || this.cancelled) return;
    this.waking = this.later(this.listening.retryDelay.next(), () => {
      this.waking = undefined;
      this.listener();
    });
  }

  private later(ms: number, work: () => void): ScheduledTask {
    const task = this.listening.scheduler.schedule(ms, () => {
      this.tasks.delete(task);
      work();
    });
    this.tasks.add(task);
    return task;
  }
}
