import { LockUnavailableError } from '../../errors.js';
import { onAbort } from '../../time/abort-listeners.js';
import type { MonotonicScheduler } from '../../time/scheduler.js';
import { RedisConnection } from '../connection/redis-connection.js';
import type { ServerTarget } from '../connection/target.js';
import { rawReply, withDeadline } from '../connection/with-deadline.js';

/** Result of a command: the reply, or the error reply of the server. */
export type Answer = { readonly reply: unknown } | { readonly refusal: string };

/** Refusal of a command, not of a key or a channel: those are checked after it. */
const NOT_ALLOWED = /permissions to run|can't run this command/;

/** Refusal of a key or a channel. */
const DENIED = /permissions to access|can't access|can't publish/;

/** Temporary refusals. */
const NOT_NOW = /^(BUSY|LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN)\b/;

/** Whether this user lacks the permission for the command itself. */
export const isForbidden = (answer: Answer): boolean => 'refusal' in answer && NOT_ALLOWED.test(answer.refusal);

/** Whether the server does not have the command, or not under its name. */
export const isUnknown = (answer: Answer): boolean =>
  'refusal' in answer && /^ERR unknown (sub)?command/i.test(answer.refusal);

/** Whether this user may not use the key or the channel. */
export const isDenied = (answer: Answer | undefined): boolean =>
  answer !== undefined && 'refusal' in answer && DENIED.test(answer.refusal);

/** Time limit, clock and cancellation of a probe. */
export interface ProbeTerms {
  /** Longest time for each answer, ms. */
  readonly commandTimeout: number;
  readonly scheduler: MonotonicScheduler;
  /** Ends the probe. */
  readonly signal: AbortSignal;
}

/**
 * One connection of the probe. It sends no command of its own when it is established, and so needs no permission for
 * that.
 */
export class ProbeConnection {
  /** Called with each message of a channel that was subscribed to. */
  onMessage = (): void => {};
  private readonly connection: RedisConnection;
  private readonly unlisten: () => void;

  constructor(
    target: ServerTarget,
    role: 'commands' | 'subscriber',
    private readonly terms: ProbeTerms,
  ) {
    const { commandTimeout, scheduler, signal } = terms;
    this.connection = new RedisConnection(target, role, commandTimeout, scheduler, {
      prepare: () => Promise.resolve(),
      onMessage: () => this.onMessage(),
      // A missing permission is reported with the others.
      acceptsDatabaseRefusal: ({ message }) => role === 'subscriber' || isForbidden({ refusal: message }),
    });
    this.unlisten = onAbort(signal, () => void this.connection.close(0));
  }

  /** @throws LockUnavailableError with the real reason as its cause. */
  async connected(): Promise<void> {
    const { commandTimeout, signal } = this.terms;
    if (!signal.aborted) this.connection.open();
    if (!signal.aborted && (await this.connection.whenReady(commandTimeout))) return;
    throw this.connection.unavailable(undefined, commandTimeout);
  }

  deadline(): number {
    return this.terms.scheduler.now() + this.terms.commandTimeout;
  }

  /** @throws LockUnavailableError if the server refuses, or does not answer before `deadline`. */
  ask<T>(command: (connection: RedisConnection) => Promise<T>, deadline = this.deadline()): Promise<T> {
    return withDeadline(command(this.connection), deadline, this.terms.scheduler, rawReply());
  }

  /** @throws LockUnavailableError if the server does not answer now. A refusal is an answer. */
  async answer(command: (connection: RedisConnection) => Promise<unknown>): Promise<Answer> {
    try {
      return { reply: await this.ask(command) };
    } catch (error) {
      if (!(error instanceof LockUnavailableError) || error.outcome !== 'refused') throw error;
      const refusal = error.cause instanceof Error ? error.cause.message : error.message;
      if (NOT_NOW.test(refusal)) throw error;
      return { refusal };
    }
  }

  close(): Promise<void> {
    this.unlisten();
    return this.connection.close();
  }
}
