import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import type { CounterOperations } from '../../counter-transitions.js';
import { wrongKeyType } from '../../../wrong-key-type.js';
import type { PublishCommand, ScriptExecutor } from '../commands/script-executor.js';
import type { IdempotentRequests } from '../commands/idempotent-requests.js';
import { unexpectedReply } from '../connection/reply-errors.js';
import { scripts } from '../scripts/scripts.generated.js';

/** What is said when a number changes. */
export interface Announcements {
  readonly channelOf: (name: string) => string;
  readonly whenSet: (count: number) => string;
  /** Empty where it is not said. */
  readonly whenDeleted: string;
}

/** A number under a name, as Redisson's semaphores and latches have it: a string of decimal digits. */
export class RedisCounter implements CounterOperations {
  constructor(
    protected readonly commands: ScriptExecutor,
    protected readonly requests: IdempotentRequests,
    private readonly scheduler: MonotonicScheduler,
    private readonly announcements: Announcements,
  ) {}

  async trySet(name: string, count: number, ttl = 0): Promise<boolean> {
    const message = this.announcements.whenSet(count);
    const { outcome } = await this.requests.change(name, ({ idempotencyKey, keyTtl, notAfter, deadline }) => {
      const args = { count, ttl, message, keep: keyTtl, notAfter, ...this.announcing(name) };
      return this.commands.run(scripts.counter.trySet, { counter: name, marker: idempotencyKey }, args, deadline, name);
    });
    return outcome === 'set';
  }

  async count(name: string): Promise<number> {
    const deadline = this.deadline();
    if (!this.commands.isConnected(name)) await this.commands.whenConnected(deadline, name);
    const reply = await this.commands.run(scripts.counter.inspect, { counter: name }, {}, deadline, name);
    const [outcome, found, text] = reply;
    if (outcome === 'wrong-type') throw wrongKeyType(name, found);
    const count = Number(text);
    if (!Number.isSafeInteger(count)) throw unexpectedReply(reply);
    return count;
  }

  async delete(name: string): Promise<boolean> {
    const message = this.announcements.whenDeleted;
    const { outcome } = await this.requests.change(name, ({ idempotencyKey, keyTtl, notAfter, deadline }) => {
      const args = { message, keep: keyTtl, notAfter, ...this.announcing(name) };
      return this.commands.run(scripts.counter.delete, { counter: name, marker: idempotencyKey }, args, deadline, name);
    });
    return outcome === 'deleted';
  }

  protected announcing(name: string): { channel: string; publish: PublishCommand } {
    const channel = this.announcements.channelOf(name);
    return { channel, publish: this.commands.publishCommand(channel) };
  }

  protected deadline(): number {
    return this.scheduler.now() + this.commands.timeoutFor(Number.POSITIVE_INFINITY);
  }
}
