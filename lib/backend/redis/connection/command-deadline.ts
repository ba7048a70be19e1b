import { Deadline } from '../../../time/deadline-timer.js';
import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import { noReply, unavailable } from './reply-errors.js';

/** What is to become of the answer to a command. */
export interface ReplyHandler<Reply, T> {
  /** What the user knows it by that the command is about. */
  readonly name: string | undefined;
  /** What the answer says. It throws where that cannot be understood. */
  readonly read: (reply: Reply) => T;
  /** How to go on after an error that is no answer yet; `undefined`: it is one. */
  readonly instead?: (error: unknown) => Promise<Reply> | undefined;
}

/** A command that was sent, until it is answered or its deadline passes. */
class PendingCommand<Reply, T> extends Deadline {
  private readonly patience: number;

  constructor(
    private readonly scheduler: MonotonicScheduler,
    at: number,
    private readonly reading: ReplyHandler<Reply, T>,
    private readonly resolve: (result: T) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    super(at);
    this.patience = at - scheduler.now();
    scheduler.deadlines.add(this);
  }

  answered(reply: Reply): void {
    this.scheduler.deadlines.delete(this);
    // A blocked event loop can hand over the reply before the timer that was due long ago.
    if (this.scheduler.now() > this.at) return this.onPassed();
    try {
      this.resolve(this.reading.read(reply));
    } catch (error) {
      this.reject(error);
    }
  }

  failed(reason: unknown): void {
    const other = this.reading.instead?.(reason);
    if (!other) return this.gaveUp(reason);
    other.then(
      (reply) => this.answered(reply),
      (last: unknown) => this.gaveUp(last),
    );
  }

  onPassed(): void {
    this.reject(noReply(this.reading.name, this.patience));
  }

  private gaveUp(error: unknown): void {
    this.scheduler.deadlines.delete(this);
    this.reject(unavailable(this.reading.name, error));
  }
}

/**
 * The answer to a command, or `LockUnavailableError` when there is none by `deadline`. What comes later is dropped: a
 * late reply is never taken for a success.
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

/** For an answer that is taken as it is. */
export const rawReply = <T>(): ReplyHandler<T, T> => ({ name: undefined, read: (reply) => reply });
