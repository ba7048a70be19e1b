import type { MonotonicScheduler } from '../time/scheduler.js';
import type { BackendListener, ServerHealth } from './backend-listener.js';
import { Quorum } from './quorum/quorum.js';
import type { NodeBackend } from './quorum/quorum-node.js';
import { checkServer } from './check-servers.js';
import type { ServerTarget, TransportSettings } from './connection/target.js';
import { RedisInspection } from './kinds/inspection/redis-inspection.js';
import { RedisLock } from './kinds/lock/redis-lock.js';
import { NodeExecutor, type NodeSettings } from './commands/node-executor.js';
import { PlainLockScripts } from './kinds/lock/lock-scripts.js';
import { RedisSubscriber } from './connection/redis-subscriber.js';

/** One of several independent Redis servers, with only the operations that a quorum lock needs. */
export class RedLockNode implements NodeBackend {
  readonly lock: RedisLock;
  readonly inspection: RedisInspection;
  readonly pubSub: RedisSubscriber;
  private readonly commands: NodeExecutor;

  constructor(
    connection: ServerTarget,
    settings: Omit<NodeSettings, 'identify'>,
    private readonly scheduler: MonotonicScheduler,
  ) {
    this.commands = new NodeExecutor(connection, { ...settings, identify: true }, scheduler);
    this.pubSub = new RedisSubscriber(connection, settings.commandTimeout, scheduler);
    this.lock = new RedisLock(this.commands, scheduler, new PlainLockScripts(this.commands));
    this.inspection = new RedisInspection(this.commands, scheduler);
  }

  get serverId(): string | undefined {
    return this.commands.serverId;
  }

  watch(listener: BackendListener): void {
    this.commands.watch(listener);
  }

  refuse(reason: Error): void {
    this.commands.refuse(reason);
  }

  check(ms: number): Promise<ServerHealth> {
    const connections = { commands: this.commands, subscriber: this.pubSub };
    return checkServer(connections, 'its-vote', this.scheduler.now() + ms);
  }

  open(): void {
    this.commands.open();
  }

  async close(ms: number): Promise<void> {
    const end = this.scheduler.now() + ms;
    await this.lock.finish(ms / 2);
    const left = Math.max(0, end - this.scheduler.now());
    await Promise.all([this.commands.close(left), this.pubSub.close(left)]);
  }
}

/** Independent masters, and their voting rules. */
interface Masters {
  /** By address, without passwords. */
  readonly nodes: ReadonlyMap<string, ServerTarget>;
  /** Milliseconds. */
  readonly nodeTimeout: number;
  readonly quorum: number;
}

/** Does not connect to them yet. */
export const makeMasters = (
  { nodes, nodeTimeout, quorum }: Masters,
  { commandTimeout, restartGuard = 0 }: Pick<TransportSettings, 'commandTimeout' | 'restartGuard'>,
  scheduler: MonotonicScheduler,
): Quorum => {
  // A node that is slow once only loses its vote; an outage is reported if it is unreachable for longer.
  const settings = { commandTimeout: nodeTimeout, missedAfter: Math.max(commandTimeout, nodeTimeout), restartGuard };
  const backends = [...nodes].map(
    ([address, connection]) => [address, new RedLockNode(connection, settings, scheduler)] as const,
  );
  return new Quorum(new Map(backends), quorum, scheduler);
};
