import type { MonotonicScheduler } from '../../time/scheduler.js';
import type { BackendListener, ServerHealth } from '../backend-listener.js';
import type { PubSub } from '../pubsub.js';
import { QuorumLock } from './quorum-lock.js';
import { type NodeBackend, QuorumNode } from './quorum-node.js';
import { QuorumPubSub } from './quorum-pubsub.js';
import { RetryDelay } from './retry-delay.js';

/** N independent masters, decided by a quorum of them. */
export class Quorum {
  readonly lock: QuorumLock;
  readonly pubSub: PubSub;
  private readonly nodes: readonly QuorumNode[];

  /**
   * @param backends One for each node, by its address without a password.
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

  /** Reports changes of the nodes to `watcher` from now on. */
  watch(listener: BackendListener): void {
    for (const node of this.nodes) node.watch(listener);
  }

  /** Excludes one of the nodes from now on, with this error. */
  refuse(label: string, reason: Error): void {
    this.nodes.find((node) => node.label === label)?.refuse(reason);
  }

  /** Asks every node whether it answers within `ms`. Never rejects. */
  check(ms: number): Promise<readonly ServerHealth[]> {
    return Promise.all(this.nodes.map((node) => node.check(ms)));
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
