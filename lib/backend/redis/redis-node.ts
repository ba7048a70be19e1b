import type { SteadyScheduler } from '../../time/steady-scheduler.js';
import type { NodeBackend } from '../quorum/quorum-node.js';
import type { ConnectionInput } from './client.js';
import { RedisCommands } from './commands.js';
import { RedisLock } from './lock.js';
import { PlainDialect } from './plain-dialect.js';
import { RedisSubscriber } from './subscriber.js';

/** One of several independent Redis servers: what a lock on a quorum of them needs, and no more. */
export class RedisNode implements NodeBackend {
  readonly lock: RedisLock;
  readonly quietLock: RedisLock;
  readonly wakeUps: RedisSubscriber;
  private readonly commands: RedisCommands;

  /** @param nodeTimeout Longest time one command may take, ms. */
  constructor(connection: ConnectionInput, nodeTimeout: number, scheduler: SteadyScheduler) {
    this.commands = new RedisCommands(connection, nodeTimeout, scheduler, { identify: true });
    this.wakeUps = new RedisSubscriber(connection, nodeTimeout, scheduler);
    this.lock = new RedisLock(this.commands, scheduler, new PlainDialect(this.commands));
    this.quietLock = new RedisLock(this.commands, scheduler, new PlainDialect(this.commands, ''));
  }

  get serverId(): string | undefined {
    return this.commands.serverId;
  }

  open(): void {
    this.commands.open();
  }

  async close(graceMs: number): Promise<void> {
    await Promise.all([this.lock.finish(graceMs), this.quietLock.finish(graceMs)]);
    await Promise.all([this.commands.close(), this.wakeUps.close()]);
  }
}
