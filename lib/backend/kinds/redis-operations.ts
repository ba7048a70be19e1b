import type { MonotonicScheduler } from '../../time/monotonic-scheduler.js';
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
   * Sends a command about `key`, in the turn of the call if the server is connected: commands of one caller keep their
   * order.
   * @param name Name that the user knows the key by.
   */
  protected whenReady<T>(key: string, send: (deadline: number) => Promise<T>, name = key, lease?: number): Promise<T> {
    const deadline = this.deadline(lease);
    if (this.commands.isConnected(key)) return send(deadline);
    return this.commands.whenConnected(deadline, key, name).then(() => send(deadline));
  }

  protected inTime<Reply, T>(request: DeadlineRequest<Reply, T>): Promise<T> {
    return sendWithDeadline(this.commands, this.scheduler, request);
  }
}
