import { isPassing, LockUnavailableError } from '../../errors.js';
import { type MonotonicScheduler, Stopwatch } from '../../time/scheduler.js';
import type { ScriptExecutor } from './script-executor.js';

/** Limits of one script: for its effect, and for its reply. */
export interface RequestLimits {
  /** Last instant at which the script may take effect, on the server's clock. */
  readonly notAfter: number;
  /** Instant until which the reply is awaited, on the scheduler's clock. */
  readonly deadline: number;
}

/** A request to the server, repeated when there is reason and time to. */
export interface DeadlineRequest<Reply, T> {
  /** Key that the request is about. */
  readonly key: string;
  /** Name that the user knows the key by. Default: the key. */
  readonly name?: string;
  readonly deadline: number;
  /** Whether it waits for its turn if very many requests are under way, as those of waiters do. Default: no. */
  readonly inTurn?: boolean;
  send(limits: RequestLimits): Promise<Reply>;
  /** Parses the reply. `undefined`: the server refused the request because it arrived late by the server's clock. */
  read(reply: Reply, sent: Stopwatch): T | PromiseLike<T> | undefined;
  /**
   * Called with the error if the request may have been executed, or may still be, until `notAfter` on the clock of
   * whichever server has the key.
   */
  onUnknown?(notAfter: number, error: unknown): void;
}

const isUnavailable = (error: unknown, outcome: LockUnavailableError['outcome']): boolean =>
  error instanceof LockUnavailableError && error.outcome === outcome;

export const isUnknown = (error: unknown): boolean => isUnavailable(error, 'unknown');

/**
 * The error to report for a request that failed twice: the one with an unknown outcome, if any; else the first, unless
 * the second cannot be helped by another attempt.
 */
export const errorOfTwo = (first: unknown, second: unknown): unknown => {
  if (isUnknown(first)) return first;
  return isPassing(second) && !isUnknown(second) ? first : second;
};

/**
 * Sends a request that the server refuses after the deadline. If it refuses before the local deadline, our estimate of
 * the server's clock was behind, and the reply has just corrected it. In that case, and if the connection closed before
 * anything was written, there is time for another attempt. The time for which it waits for its turn does not count.
 * @param before Why the attempt before had no effect, if there was one.
 */
export const sendWithDeadline = <Reply, T>(
  commands: ScriptExecutor,
  scheduler: MonotonicScheduler,
  request: DeadlineRequest<Reply, T>,
  before?: unknown,
  hasTurn = false,
): Promise<T> => {
  const { key, name = key, deadline } = request;
  const again = (why: unknown): Promise<T> => sendWithDeadline(commands, scheduler, request, why);

  const send = (): Promise<T> => {
    const sent = new Stopwatch(scheduler);
    const { startedAt } = sent;
    if (startedAt >= deadline) return Promise.reject(before ?? neverSent(name));
    const notAfter = Math.ceil(commands.serverTime(key, startedAt) + (deadline - startedAt));
    const failed = (error: unknown): Promise<T> => {
      if (isUnavailable(error, 'not-sent')) return again(error);
      if (isUnknown(error)) request.onUnknown?.(commands.latest(key, notAfter), error);
      throw error;
    };
    const answered = (reply: Reply): T | PromiseLike<T> => {
      try {
        return request.read(reply, sent) ?? again(refusedLate(name));
      } catch (error) {
        return failed(error);
      }
    };
    return request.send({ notAfter, deadline }).then(answered, failed);
  };

  const inTurn = (): Promise<T> => {
    const turn = request.inTurn ? commands.turn(key, name) : undefined;
    if (!turn) return send();
    const from = scheduler.now();
    return turn.then(() => {
      const now = { ...request, deadline: deadline + scheduler.now() - from };
      return sendWithDeadline(commands, scheduler, now, before, true);
    });
  };

  try {
    if (commands.isConnected(key)) return hasTurn ? send() : inTurn();
    if (scheduler.now() >= deadline) return Promise.reject(before ?? neverSent(name));
    return commands.whenConnected(deadline, key, name).then(inTurn);
  } catch (error) {
    return Promise.reject(error);
  }
};

/**
 * Rejects with the error of a request only once the server refuses the request, so that it cannot take effect after its
 * caller was told.
 */
export const rejectOnceRefused = async (
  scheduler: MonotonicScheduler,
  deadline: number,
  error: unknown,
): Promise<never> => {
  if (isUnknown(error)) await scheduler.pause(deadline - scheduler.now() + 1, { keepAlive: true });
  throw error;
};

const neverSent = (name: string): LockUnavailableError =>
  new LockUnavailableError('The request was not sent: its deadline had passed', 'not-sent', false, { lockName: name });

const refusedLate = (name: string): LockUnavailableError =>
  new LockUnavailableError('The request reached Redis after its deadline', 'refused', false, { lockName: name });

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
