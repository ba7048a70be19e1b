import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import { type DeadlineRequest, sendWithDeadline } from '../commands/deadline-request.js';
import type { ScriptExecutor } from '../commands/script-executor.js';

/** Base of the operations of each kind: deadlines, and the wait for a connection. */
export abstract class RedisOperations {
  constructor(
    protected readonly commands: ScriptExecutor,
    protected readonly scheduler: MonotonicScheduler,
  ) {}

  /** The deadline of a command that begins now. @param lease The lease that it is about. Default: none. */
  protected deadline(lease = Number.POSITIVE_INFINITY): number {
    return this.scheduler.now() + this.commands.timeoutFor(lease);
  }

  /**
   * Resolves with the deadline of a command about `key` that can be sent now.
   * @param name Name that the user knows the key by.
   */
  protected async ready(key: string, name = key, lease?: number): Promise<number> {
    const deadline = this.deadline(lease);
    if (!this.commands.isConnected(key)) await this.commands.whenConnected(deadline, key, name);
    return deadline;
  }

  protected inTime<Reply, T>(request: DeadlineRequest<Reply, T>): Promise<T> {
    return sendWithDeadline(this.commands, this.scheduler, request);
  }
}
