import type { SteadyScheduler } from '../../time/steady-scheduler.js';
import type { LockBackend } from '../lock-backend.js';
import type { ConnectionInput } from './client.js';
import { RedisCommands } from './commands.js';
import type { LockDialect } from './lock-dialect.js';
import { RedisLock } from './lock.js';
import { PlainDialect } from './plain-dialect.js';
import { RedisSubscriber } from './subscriber.js';

/** Locks on one Redis server, over two connections of our own: one for commands, one that listens. */
export class RedisBackend implements LockBackend {
  readonly lock: RedisLock;
  readonly spinLock: RedisLock;
  readonly wakeUps: RedisSubscriber;
  private readonly commands: RedisCommands;
  private readonly locks: RedisLock[] = [];

  /** @param commandTimeout Longest time one command may take, ms. */
  constructor(connection: ConnectionInput, commandTimeout: number, scheduler: SteadyScheduler) {
    this.commands = new RedisCommands(connection, commandTimeout, scheduler);
    this.wakeUps = new RedisSubscriber(connection, commandTimeout, scheduler);
    const lockIn = (dialect: LockDialect): RedisLock => {
      const lock = new RedisLock(this.commands, scheduler, dialect);
      this.locks.push(lock);
      return lock;
    };
    this.lock = lockIn(new PlainDialect(this.commands));
    this.spinLock = lockIn(new PlainDialect(this.commands, ''));
  }

  open(): void {
    this.commands.open();
  }

  async close(graceMs: number): Promise<void> {
    await Promise.all(this.locks.map((lock) => lock.finish(graceMs)));
    await Promise.all([this.commands.close(), this.wakeUps.close()]);
  }
}
