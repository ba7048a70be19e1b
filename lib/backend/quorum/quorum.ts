import type { MonotonicScheduler } from '../../time/monotonic-scheduler.js';
import type { PubSub, BackendListener } from '../lock-backend.js';
import { QuorumLock } from './quorum-lock.js';
import { type NodeBackend, QuorumNode } from './quorum-node.js';
import { QuorumPubSub } from './quorum-pubsub.js';
import { RetryDelay } from './retry-delay.js';

/** N independent masters, of which a quorum decides. */
export class Quorum {
  readonly lock: QuorumLock;
  readonly pubSub: PubSub;
  private readonly nodes: readonly QuorumNode[];

  /**
   * @param backends One for each node, by where it is, without a password.
   * @param quorum More than half of the nodes.
   */
  constructor(
    backends: ReadonlyMap<string, NodeBackend>,
    quorum: number,
    private readonly scheduler: MonotonicScheduler,
  ) {
    this.nodes = [...backends].map(([label, backend]) => new QuorumNode(label, backend, scheduler));
    const retryDelay = new RetryDelay();
    this.lock = new QuorumLock(this.nodes, quorum, retryDelay, scheduler);
    this.pubSub = new QuorumPubSub({ nodes: this.nodes, quorum, retryDelay, scheduler });
  }

  /** Tells `watcher` from now on what becomes of the nodes. */
  watch(watcher: BackendListener): void {
    for (const node of this.nodes) node.watch(watcher);
  }

  /** One of the nodes takes no part from now on, for this reason. */
  refuse(label: string, reason: Error): void {
    this.nodes.find((node) => node.label === label)?.refuse(reason);
  }

  open(): void {
    for (const node of this.nodes) node.open();
  }

  async close(ms: number): Promise<void> {
    const end = this.scheduler.now() + ms;
    await this.lock.finish(ms / 2);
    const left = Math.max(0, end - this.scheduler.now());
    await Promise.all(this.nodes.map((node) => node.close(left)));
  }
}
