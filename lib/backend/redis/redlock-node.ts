import type { SteadyScheduler } from '../../time/monotonic-scheduler.js';
import type { BackendWatcher } from '../backend-watcher.js';
import type { NodeBackend } from '../quorum/quorum-node.js';
import type { ServerInput } from './connection/connection-input.js';
import { RedisLock } from './kinds/redis-lock.js';
import { NodeCommands, type NodeCommandsOptions } from './commands/node-executor.js';
import { PlainDialect } from './kinds/plain-dialect.js';
import { RedisSubscriber } from './connection/redis-subscriber.js';

/** One of several independent Redis servers: what a lock on a quorum of them needs, and no more. */
export class RedisNode implements NodeBackend {
  readonly lock: RedisLock;
  readonly quietLock: RedisLock;
  readonly wakeUps: RedisSubscriber;
  private readonly commands: NodeCommands;

  constructor(
    connection: ServerInput,
    settings: Omit<NodeCommandsOptions, 'identify'>,
    private readonly scheduler: SteadyScheduler,
  ) {
    this.commands = new NodeCommands(connection, { ...settings, identify: true }, scheduler);
    this.wakeUps = new RedisSubscriber(connection, settings.commandTimeout, scheduler);
    this.lock = new RedisLock(this.commands, scheduler, new PlainDialect(this.commands));
    this.quietLock = new RedisLock(this.commands, scheduler, new PlainDialect(this.commands, false));
  }

  get serverId(): string | undefined {
    return this.commands.serverId;
  }

  watch(watcher: BackendWatcher): void {
    this.commands.watch(watcher);
  }

  refuse(reason: Error): void {
    this.commands.refuse(reason);
  }

  open(): void {
    this.commands.open();
  }

  async close(ms: number): Promise<void> {
    const end = this.scheduler.now() + ms;
    await Promise.all([this.lock.finish(ms / 2), this.quietLock.finish(ms / 2)]);
    const left = Math.max(0, end - this.scheduler.now());
    await Promise.all([this.commands.close(left), this.wakeUps.close(left)]);
  }
}
