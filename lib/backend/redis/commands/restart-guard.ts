import { LockUnavailableError } from '../../../errors.js';
import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import type { RedisClient } from '../connection/redis-client.js';
import { unexpectedReply } from '../connection/reply-errors.js';

/** What a server says of itself on each new connection. */
export interface ServerIdentity {
  /** Changes with every start. */
  readonly runId: string;
  /** Changes with every promotion. */
  readonly replicationId: string;
  /** Whether it was a replica once, nobody knows when. */
  readonly wasPromoted: boolean;
  /** Milliseconds since its start, at least. */
  readonly uptime: number;
}

/**
 * Keeps locks from being granted by a server that may have forgotten who holds them: after a restart, since persistence
 * may have lost the last of them, and after a fail-over, since replication does. Until the longest lease that may have
 * been forgotten is over, nothing new is granted; what is held is renewed and released as ever (R13).
 */
export class RestartGuard {
  private known: string | undefined;
  private until = Number.NEGATIVE_INFINITY;

  /** @param length The longest lease in use, ms: what is longer is not covered. */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly length: number,
  ) {}

  /** To be told on every new connection, before anything is granted over it. */
  observe({ runId, replicationId, wasPromoted, uptime }: ServerIdentity): void {
    const identity = `${runId} ${replicationId}`;
    if (this.known === identity) return;
    // A server met for the first time was perhaps promoted a moment ago; it does not say when.
    const isFresh = this.known === undefined && !wasPromoted;
    this.known = identity;
    this.guard(isFresh ? this.length - uptime : this.length);
  }

  /** The server has taken the place of another, whose last grants it may lack. */
  promoted(): void {
    this.guard(this.length);
  }

  /** Why nothing is granted now; `undefined`: it may be. */
  refusal(name: string | undefined): LockUnavailableError | undefined {
    const left = Math.ceil(this.until - this.scheduler.now());
    if (left <= 0) return undefined;
    const why = 'Redis was started or replaced a short while ago and may have forgotten who holds what';
    return new LockUnavailableError(`${why}; no lock is granted for another ${left} ms`, 'refused', false, {
      lockName: name,
      details: { guardedFor: left },
    });
  }

  private guard(ms: number): void {
    this.until = Math.max(this.until, this.scheduler.now() + ms);
  }
}

const NEVER_PROMOTED = /^0*$/;

/** Asks a server who it is. */
export const askIdentity = async (client: RedisClient): Promise<ServerIdentity> => {
  const [server, replication] = await Promise.all([client.info('server'), client.info('replication')]);
  const text = `${String(server)}\n${String(replication)}`;
  const field = (name: string): string => {
    const value = new RegExp(`^${name}:(\\S*)`, 'm').exec(text)?.[1];
    if (value === undefined) throw unexpectedReply(text);
    return value;
  };
  return {
    runId: field('run_id'),
    replicationId: field('master_replid'),
    wasPromoted: !NEVER_PROMOTED.test(field('master_replid2')),
    uptime: Number(field('uptime_in_seconds')) * 1000,
  };
};
