import { Deadline } from '../../../time/deadline-timer.js';
import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import { noReply, unavailable } from './reply-errors.js';

/** How the reply to a command is processed. */
export interface ReplyHandler<Reply, T> {
  /** Name that the user knows the subject of the command by. */
  readonly name: string | undefined;
  /** Parses the reply. Throws if it is malformed. */
  readonly read: (reply: Reply) => T;
  /** Continues after an error that is not final, with another command; `undefined`: the error is final. */
  readonly instead?: (error: unknown) => Promise<Reply> | undefined;
}

/** A sent command, until it is answered or its deadline passes. */
class PendingCommand<Reply, T> extends Deadline {
  private readonly timeout: number;

  constructor(
    private readonly scheduler: MonotonicScheduler,
    at: number,
    private readonly reading: ReplyHandler<Reply, T>,
    private readonly resolve: (result: T) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    super(at);
    this.timeout = at - scheduler.now();
    scheduler.deadlines.add(this);
  }

  answered(reply: Reply): void {
    this.scheduler.deadlines.delete(this);
    // A blocked event loop can deliver the reply before the timer that was due long ago.
    if (this.scheduler.now() > this.at) return this.onPassed();
    try {
      this.resolve(this.reading.read(reply));
    } catch (error) {
      this.reject(error);
    }
  }

  failed(reason: unknown): void {
    const other = this.reading.instead?.(reason);
    if (!other) return this.fail(reason);
    other.then(
      (reply) => this.answered(reply),
      (last: unknown) => this.fail(last),
    );
  }

  onPassed(): void {
    this.reject(noReply(this.reading.name, this.timeout));
  }

  private fail(error: unknown): void {
    this.scheduler.deadlines.delete(this);
    this.reject(unavailable(this.reading.name, error));
  }
}

/**
 * Resolves with the parsed reply to a command, or rejects with `LockUnavailableError` if there is none by `deadline`. A
 * later reply is dropped: it never counts as success.
 */
export const withDeadline = <Reply, T>(
  command: Promise<Reply>,
  deadline: number,
  scheduler: MonotonicScheduler,
  reading: ReplyHandler<Reply, T>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const sent = new PendingCommand(scheduler, deadline, reading, resolve, reject);
    command.then(
      (reply) => sent.answered(reply),
      (error: unknown) => sent.failed(error),
    );
  });

/** Returns the reply as it is. */
export const rawReply = <T>(): ReplyHandler<T, T> => ({ name: undefined, read: (reply) => reply });
