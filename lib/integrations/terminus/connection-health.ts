import type { LockEvents } from '../../events/lock-events.js';
import type { MonotonicScheduler } from '../../time/scheduler.js';
import type { ServerHealth } from '../../backend/backend-listener.js';
import { seconds } from '../../events/event-log.js';
import type { OwnedRuntime } from '../../module/runtime.factory.js';
import type { ProbeVerdict } from '../../module/startup-probe.js';

/** How long a loss counts as recent, ms. */
const RECENT_MS = 300_000;

/** Losses are counted by the second, so that a day of them takes no more memory than the last minutes. */
const BUCKET_MS = 1000;

interface Bucket {
  readonly since: number;
  losses: number;
}

/** Counts the holds and permits that one connection has lost of late, by its events. */
export class LossCounter {
  /** Oldest first. */
  private readonly buckets: Bucket[] = [];

  constructor(
    events: LockEvents,
    private readonly scheduler: Pick<MonotonicScheduler, 'now'>,
  ) {
    events.on(() => this.add(), ['lost']);
  }

  get count(): number {
    this.forgetOld();
    return this.buckets.reduce((sum, { losses }) => sum + losses, 0);
  }

  private add(): void {
    this.forgetOld();
    const now = this.scheduler.now();
    const last = this.buckets.at(-1);
    if (last && now - last.since < BUCKET_MS) last.losses += 1;
    else this.buckets.push({ since: now, losses: 1 });
  }

  private forgetOld(): void {
    const oldest = this.scheduler.now() - RECENT_MS;
    const kept = this.buckets.findIndex(({ since }) => since > oldest);
    this.buckets.splice(0, kept === -1 ? this.buckets.length : kept);
  }
}

/**
 * `down`: no lock can be acquired on the connection, or no lock of its RedLock. `degraded`: locks can be acquired, but a
 * part of the servers is down, waiters have to poll, holds are renewed late, or holds were lost of late.
 */
export type LockHealthState = 'up' | 'degraded' | 'down';

/** Report of a health check on one connection. It names no lock and no owner. */
export interface ConnectionHealth {
  readonly state: LockHealthState;
  /** Every server, each master of a cluster, each node of a RedLock; empty for locks in memory. */
  readonly servers: readonly ServerHealth[];
  /** Result of the start-up probe. */
  readonly probe: ProbeVerdict;
  /** How late the watchdog sent its last renewals, ms; see `maxLag`. */
  readonly watchdogLag: number;
  /** Number of holds and permits lost in the last five minutes. */
  readonly recentLosses: number;
  /** Why the state is not `up`: sentences without their full stops. */
  readonly problems: readonly string[];
}

const isUp = ({ commands }: ServerHealth): boolean => commands === 'up';

const stateOfServers = (servers: readonly ServerHealth[], quorum: number | undefined): LockHealthState => {
  const votes = servers.filter(({ affects }) => affects === 'its-vote');
  const others = servers.filter(({ affects }) => affects !== 'its-vote');
  if (others.length > 0 && !others.some(isUp)) return 'down';
  if (quorum !== undefined && votes.filter(isUp).length < quorum) return 'down';
  const isWhole = servers.every((server) => isUp(server) && server.messages !== 'down');
  return isWhole ? 'up' : 'degraded';
};

const problemOf = ({ server, problem, messages }: ServerHealth): readonly string[] => {
  if (problem !== undefined) return [problem];
  return messages === 'down'
    ? [`No messages arrive from ${server}, so callers that wait for a lock notice its release later`]
    : [];
};

/** Checks one connection within `timeout` ms. Never rejects. */
export const checkConnection = async (
  { check, quorum, probe, watchdog }: Pick<OwnedRuntime, 'check' | 'quorum' | 'probe' | 'watchdog'>,
  losses: LossCounter,
  timeout: number,
  maxLag = watchdog.timeout / 3,
): Promise<ConnectionHealth> => {
  const watchdogLag = Math.round(watchdog.lag);
  const recentLosses = losses.count;
  const servers = await check(timeout);
  const isLate = watchdogLag > maxLag;
  const problems = [
    ...servers.flatMap(problemOf),
    ...(isLate
      ? [`Locks were renewed ${seconds(watchdogLag)} late; check for synchronous work that blocks the event loop`]
      : []),
    ...(recentLosses > 0
      ? [`${recentLosses} hold(s) were lost in the last ${RECENT_MS / 60_000} minutes; the log names them`]
      : []),
  ];
  const ofServers = stateOfServers(servers, quorum);
  const state = ofServers === 'up' && (isLate || recentLosses > 0) ? 'degraded' : ofServers;
  return { state, servers, probe: probe.verdict, watchdogLag, recentLosses, problems };
};
