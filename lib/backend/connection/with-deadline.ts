import type { LockUnavailableError } from '../../errors.js';
import { Deadline, type MonotonicScheduler } from '../../time/scheduler.js';
import { isScriptMissing, noReply, unavailable } from './reply-errors.js';

/** How the reply to a command is processed. */
export interface ReplyHandler<Reply, T> {
  /** Name that the user knows the subject of the command by. */
  readonly name: string | undefined;
  /**
   * Parses the reply, which was read at `now`, `waited` ms after the command was sent. Throws if it is malformed.
   * @param isOverdue Whether the deadline has passed: the reply had to wait until a blocked event loop read it.
   */
  read(reply: Reply, now: number, waited: number, isOverdue: boolean): T;
  /** Continues after an error that is not final, with another command; `undefined`: the error is final. */
  instead?(error: unknown): Promise<Reply> | undefined;
  /** Called when the client has answered or failed. */
  settled?(): void;
  /** Called with a reply that came when the deadline had been reported. */
  late?(reply: Reply): void;
  /** Called when the deadline passes without a reply, with the ms that the command had. */
  missed?(timeout: number): void;
}

/** A sent command, until it is answered or its deadline passes. */
class PendingCommand<Reply, T> extends Deadline {
  private readonly sentAt: number;
  /** The wall clock then: the monotonic one does not count time for which the machine was suspended. */
  private readonly wallSentAt: number | undefined;

  constructor(
    private readonly scheduler: MonotonicScheduler,
    readonly at: number,
    private readonly reading: ReplyHandler<Reply, T>,
    private readonly resolve: (result: T) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    super();
    this.sentAt = scheduler.now();
    this.wallSentAt = scheduler.wallNow();
    scheduler.deadlines.add(this, this.sentAt);
  }

  answered(reply: Reply): void {
    this.reading.settled?.();
    // Late is only what comes when the caller has been told, not what a blocked event loop could not read before.
    if (!this.scheduler.deadlines.delete(this)) return this.reading.late?.(reply);
    const now = this.scheduler.now();
    try {
      this.resolve(this.reading.read(reply, now, this.waited(now), now > this.at));
    } catch (error) {
      this.reject(error);
    }
  }

  failed(reason: unknown): void {
    this.reading.settled?.();
    // After the deadline the failure has been reported to the caller: nothing may be executed for it any more.
    const isLate = this.scheduler.now() > this.at;
    // The server would have run it with EVAL: it has refused nothing.
    if (isLate && isScriptMissing(reason)) return this.fail(this.gaveUp);
    const other = isLate ? undefined : this.reading.instead?.(reason);
    if (!other) return this.fail(reason);
    other.then(
      (reply) => this.answered(reply),
      (last: unknown) => {
        this.reading.settled?.();
        this.fail(last);
      },
    );
  }

  onPassed(): void {
    this.reading.missed?.(this.at - this.sentAt);
    this.reject(this.gaveUp);
  }

  private waited(now: number): number {
    const { wallSentAt = Number.NaN } = this;
    const waited = now - this.sentAt;
    const byWall = (this.scheduler.wallNow() ?? Number.NaN) - wallSentAt;
    return byWall > waited ? byWall : waited;
  }

  private get gaveUp(): LockUnavailableError {
    return noReply(this.reading.name, this.at - this.sentAt);
  }

  private fail(error: unknown): void {
    this.scheduler.deadlines.delete(this);
    this.reject(unavailable(this.reading.name, error));
  }
}

/**
 * Resolves with the parsed reply to a command, or rejects with `LockUnavailableError` if there is none by `deadline`. A
 * reply after that is dropped: it never counts as success. One that came in time counts although the event loop was
 * blocked; how much of a lease it has left, its reader finds out.
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
