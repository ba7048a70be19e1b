import type { SteadyScheduler } from '../../time/steady-scheduler.js';
import type { LockBackend } from '../lock-backend.js';
import type { ConnectionInput } from './client.js';
import { RedisCommands } from './commands.js';
import { RedisLock } from './lock.js';
import { RedisSubscriber } from './subscriber.js';

/** Locks on one Redis server, over two connections of our own: one for commands, one that listens. */
export class RedisBackend implements LockBackend {
  readonly lock: RedisLock;
  readonly wakeUps: RedisSubscriber;
  private readonly commands: RedisCommands;

  /** @param commandTimeout Longest time one command may take, ms. */
  constructor(connection: ConnectionInput, commandTimeout: number, scheduler: SteadyScheduler) {
    this.commands = new RedisCommands(connection, commandTimeout, scheduler);
    this.wakeUps = new RedisSubscriber(connection, commandTimeout, scheduler);
    this.lock = new RedisLock(this.commands, scheduler);
  }

  open(): void {
    this.commands.open();
  }

  async close(graceMs: number): Promise<void> {
    await this.lock.finish(graceMs);
    await Promise.all([this.commands.close(), this.wakeUps.close()]);
  }
}
