import type { RedisConnection } from '../connection/redis-connection.js';
import { unexpectedReply } from '../connection/reply-errors.js';
import { LockUnavailableError } from '../../errors.js';
import type { MonotonicScheduler } from '../../time/scheduler.js';

/** Identity that a server reports on each new connection. */
export interface ServerIdentity {
  /** Changes with every start. */
  readonly runId: string;
  /** Changes with every promotion. */
  readonly replicationId: string;
  /** Whether it was a replica once. It does not report when. */
  readonly wasPromoted: boolean;
  /** Milliseconds since its start, at least. */
  readonly uptime: number;
}

const NEVER_PROMOTED = /^0*$/;

/** Asks a server for its identity. */
export const askIdentity = async (connection: RedisConnection): Promise<ServerIdentity> => {
  const [server, replication] = await Promise.all([
    connection.send(['INFO', 'server']),
    connection.send(['INFO', 'replication']),
  ]);
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

/** Asks a server for its run id alone; `undefined` if it does not report one. */
export const askRunId = async (connection: RedisConnection): Promise<string | undefined> =>
  /^run_id:(\w+)/m.exec(String(await connection.send(['INFO', 'server'])))?.[1];

/**
 * Keeps a server from granting locks while it may have forgotten their holders: after a restart, since persistence may
 * have lost the last writes, and after a fail-over, since replication does. No new lock is granted until the longest
 * lease that may have been forgotten is over; held locks are renewed and released as usual (R13).
 */
export class RestartGuard {
  private known: string | undefined;
  private until = Number.NEGATIVE_INFINITY;

  /** @param length The longest lease in use, ms; longer ones are not covered. */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly length: number,
  ) {}

  /** To be called on every new connection, before anything is granted over it. */
  observe({ runId, replicationId, wasPromoted, uptime }: ServerIdentity): void {
    const identity = `${runId} ${replicationId}`;
    if (this.known === identity) return;
    // A server seen for the first time may have been promoted a moment ago; it does not report when.
    const isFresh = this.known === undefined && !wasPromoted;
    this.known = identity;
    this.guard(isFresh ? this.length - uptime : this.length);
  }

  /** Called when the server has replaced another one, whose last grants it may lack. */
  promoted(): void {
    this.guard(this.length);
  }

  get isOn(): boolean {
    // Usually it was over long ago, and the clock need not be read.
    if (this.until === Number.NEGATIVE_INFINITY) return false;
    if (this.until > this.scheduler.now()) return true;
    this.until = Number.NEGATIVE_INFINITY;
    return false;
  }

  /** The error to refuse grants with now; `undefined`: grants are allowed. */
  refusal(name: string | undefined): LockUnavailableError | undefined {
    if (!this.isOn) return undefined;
    const left = Math.ceil(this.until - this.scheduler.now());
    const why = 'Redis was started or replaced recently and may have lost current holds';
    return new LockUnavailableError(`${why}; no lock is granted for another ${left} ms`, 'refused', false, {
      lockName: name,
      details: { guardedFor: left },
    });
  }

  private guard(ms: number): void {
    this.until = Math.max(this.until, this.scheduler.now() + ms);
  }
}
