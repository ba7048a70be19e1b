import { isPassing } from '../../lib/errors.js';
import { LockDeadlockError, LockLostError, LockTimeoutError, type LockService } from '../../lib/standalone.js';
import { Rng } from '../chaos/rng.js';
import { openClient } from '../kit/client.js';
import { serve } from '../servers/worker/worker-host.js';

const [, , connection = ''] = process.argv;
const client = openClient({ connection, lockOrder: 'warn' });

/** Few enough that callers wait for each other all the time. */
const LOCKS = 24;
const DEEPEST = 5;
const CALLERS = 8;
/** A long stay makes others wait for longer than a second, so that they are watched. */
const LONG_STAY = 0.08;

/** What one process did so far. */
export interface LoadCounts {
  readonly acquisitions: number;
  /** Waits of callers that held locks, for longer than a second: those that are watched. */
  readonly watched: number;
  /** The longest wait, ms. */
  readonly longest: number;
  readonly timeouts: number;
  /** Calls that failed because Redis did not answer in time. */
  readonly unavailable: number;
  /** The messages of reported deadlocks and inversions, and of unexpected errors. */
  readonly reports: readonly string[];
}

const counts = { acquisitions: 0, watched: 0, longest: 0, timeouts: 0, unavailable: 0 };
const reports: string[] = [];
client.runtime.events.on((event) => {
  if (event.type === 'deadlock' || event.type === 'lock-order-inverted' || event.type === 'unexpected')
    reports.push(`${event.type}: ${JSON.stringify(event)}`);
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

type Work = () => Promise<void>;

const enter = (locks: LockService, index: number, rng: Rng, work: Work): Promise<unknown> => {
  const name = `n${String(index).padStart(2, '0')}`;
  // A quarter gives up early, which dissolves chains of waits while they are looked at.
  const wait = { wait: rng.chance(0.25) ? rng.whole(200, 4000) : 60_000 };
  switch (index % 6) {
    case 0:
      return locks.getFairLock(name).withLock(wait, work);
    case 1:
      return locks.getReadWriteLock(name).readLock().withLock(wait, work);
    case 2: {
      const lock = locks.getReadWriteLock(name);
      return (rng.chance(0.5) ? lock.readLock() : lock.writeLock()).withLock(wait, work);
    }
    case 3:
      return locks.withLock(name, { limit: 2, ...wait }, work);
    case 4:
      return locks.getFencedLock(name).withLock(wait, work);
    default:
      return locks.withLock(name, wait, work);
  }
};

const nest = async (rng: Rng, [index, ...rest]: readonly number[], isInside: boolean): Promise<void> => {
  if (index === undefined) return pause(rng.chance(LONG_STAY) ? rng.whole(800, 2500) : rng.whole(0, 20));
  const start = performance.now();
  let isOver = false;
  const over = (): void => {
    if (isOver) return;
    isOver = true;
    const waited = performance.now() - start;
    counts.longest = Math.max(counts.longest, Math.round(waited));
    if (isInside && waited > 1000) counts.watched += 1;
  };
  try {
    await enter(client.locks, index, rng, async () => {
      over();
      counts.acquisitions += 1;
      await nest(rng, rest, true);
    });
  } finally {
    over();
  }
};

const call = async (rng: Rng, isOrdered: boolean): Promise<void> => {
  const wanted = Array.from({ length: rng.whole(1, DEEPEST) }, () => rng.whole(0, LOCKS - 1));
  const distinct = [...new Set(wanted)];
  const indexes = isOrdered ? distinct.toSorted((a, b) => a - b) : distinct;
  const locked = (): Promise<void> => nest(rng, indexes, false);
  try {
    await (rng.chance(0.3) ? client.locks.runInScope(locked) : locked());
  } catch (error) {
    if (error instanceof LockTimeoutError) counts.timeouts += 1;
    // A busy machine does not answer in time.
    else if (isPassing(error) || error instanceof LockLostError) counts.unavailable += 1;
    else if (!(error instanceof LockDeadlockError)) reports.push(String(error));
  }
};

/** One process, whose callers hold locks and wait for others, all in one order or in any. */
export const api = {
  connected: (): Promise<void> => client.connected(),
  run: async (ms: number, seed: number, isOrdered: boolean): Promise<LoadCounts> => {
    const end = performance.now() + ms;
    const callers = Array.from({ length: CALLERS }, async (_, caller) => {
      const rng = new Rng(seed * 1000 + caller);
      while (performance.now() < end) await call(rng, isOrdered);
    });
    await Promise.all(callers);
    return { ...counts, reports };
  },
  counts: async (): Promise<LoadCounts> => ({ ...counts, reports }),
  close: (): Promise<void> => client.close(),
};

serve(api);
