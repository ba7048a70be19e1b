import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { LockAbortedError, LockError, type Hold, type Lock, type LockService } from '../../../lib/standalone.js';
import { serve } from '../../servers/worker/worker-host.js';
import { type Mode, monotonicNow } from '../history/entry.js';
import { Recorder } from '../history/recorder.js';
import { Rng } from '../rng.js';
import { type Load, type LoadSetup, PERMITS } from './load.js';
import { takeNaively } from './naive-lock.js';
import { RedissonClient } from './redisson-client.js';
import { openClient } from '../../kit/client.js';

const { options, path, seed } = JSON.parse(process.argv[2] ?? '{}') as LoadSetup;
const recorder = new Recorder(path);
const rng = new Rng(seed);

const crashed = (error: unknown): void =>
  recorder.note({
    k: 'crash',
    at: monotonicNow(),
    error: error instanceof Error ? (error.stack ?? '') : String(error),
  });
process.on('unhandledRejection', crashed);
process.on('uncaughtException', crashed);
// Accumulating listeners are a leak, or repeated work.
process.on('warning', (warning) => {
  if (warning.name === 'MaxListenersExceededWarning') crashed(warning);
});

const client = openClient(options);
client.runtime.events.on((event) => {
  if (event.type === 'unexpected') crashed(event.error);
});

/** The attempts for fair locks that have no place yet. Those of one lock get their places in the order of their calls. */
const arriving = new Map<string, string[]>();
client.runtime.events.on(
  ({ kind, lockName }) => {
    const id = kind === 'fair' ? arriving.get(lockName)?.shift() : undefined;
    if (id !== undefined) recorder.note({ k: 'placed', id, at: monotonicNow() });
  },
  ['waiting'],
);

/** Called when an attempt has its outcome: it gets no place any more. */
const hasArrived = (lock: string, id: string): void => {
  const ids = arriving.get(lock);
  const index = ids?.indexOf(id) ?? -1;
  if (index >= 0) ids?.splice(index, 1);
};

/** The connection of the naive lock, with which the others are compared. */
let naive: Redis | undefined;
/** The client that acquires as Redisson does. */
let redisson: RedissonClient | undefined;
const LEASE_MS = 1000;
/** Two persons, who work in every process. */
const OWNERS = ['user:1', 'user:2'] as const;

const stopping = new AbortController();
const loops: Promise<void>[] = [];
let attempts = 0;
let grants = 0;

/** The one server of loads that go round the library. */
const serverUrl = (): string => {
  const { connection } = options;
  if (typeof connection !== 'string') throw new Error('This load needs one server, given as a URL');
  return connection;
};

/** The time that a holder works before it checks again that it still holds, ms. */
const LOOK_MS = 3;

interface Held {
  /** Whether the holder may still act. */
  isHeld(): boolean;
  readonly signal?: AbortSignal;
  readonly fence?: bigint | undefined;
  /** The owner, if the load has chosen it: all its holds are one. */
  readonly owner?: string;
  release(): Promise<unknown>;
}

const lockOf = ({ kind }: Load, name: string, { locks }: { readonly locks: LockService }): Lock => {
  if (kind === 'fair') return locks.getFairLock(name);
  if (kind === 'fenced') return locks.getFencedLock(name);
  if (kind === 'spin') return locks.getSpinLock(name);
  if (kind === 'read') return locks.getReadWriteLock(name).readLock();
  if (kind === 'write') return locks.getReadWriteLock(name).writeLock();
  if (kind === 'group') return locks.getGroupLock(name, ['a', 'b']);
  return kind === 'redlock' ? locks.getRedLock(name) : locks.getLock(name);
};

const isHeld = (held: Pick<Hold, 'assertHeld'>): boolean => {
  try {
    held.assertHeld();
    return true;
  } catch {
    return false;
  }
};

const heldLock = (hold: Hold): Held => ({
  isHeld: () => isHeld(hold),
  signal: hold.signal,
  fence: hold.fence,
  release: () => hold.release(),
});

/** Takes a lock over. Only a callback can, so it goes on until the release. */
const takeOver = (name: string, terms: { readonly wait: number; readonly signal: AbortSignal }): Promise<Held> =>
  new Promise((resolve, reject) => {
    const work = (hold: Hold): Promise<void> =>
      new Promise((end) => {
        const release = (): Promise<void> => {
          end();
          return over;
        };
        resolve({ ...heldLock(hold), release });
      });
    const over = client.locks.withLock(name, { ...terms, onConflict: 'replace', fenced: true }, work);
    over.catch(reject);
  });

const take = async (load: Load, name: string): Promise<Held> => {
  const { kind, lease, wait } = load;
  const terms = { wait, signal: stopping.signal };
  const { locks } = client;
  if (kind === 'naive') {
    const redis = (naive ??= new Redis(serverUrl()));
    if (!(await takeNaively(redis, name, lease ?? LEASE_MS, stopping.signal))) {
      throw new LockAbortedError('The load has ended');
    }
    return { isHeld: () => true, release: () => redis.del(name) };
  }
  if (kind === 'redisson') {
    redisson ??= new RedissonClient(serverUrl());
    const held = await redisson.tryLock(name, { ...terms, lease: lease ?? LEASE_MS });
    if (!held) throw new LockAbortedError('The wait is over, or the load has ended');
    return held;
  }
  if (kind === 'semaphore') {
    const semaphore = locks.getSemaphore(name);
    await semaphore.acquire(1, terms);
    return { isHeld: () => true, release: () => semaphore.release() };
  }
  if (kind === 'permits') {
    const permits = locks.getPermitExpirableSemaphore(name);
    const permit = await permits.acquire({ ...terms, ...(lease === undefined ? { renew: true } : { lease }) });
    return { isHeld: () => isHeld(permit), signal: permit.signal, release: () => permits.tryRelease(permit) };
  }
  if (kind === 'limit') return heldLock(await locks.acquire(name, { limit: PERMITS, ...terms, lease }));
  if (kind === 'replacing') return takeOver(name, terms);
  if (kind === 'owned') {
    const owner = rng.pick(OWNERS);
    return { ...heldLock(await locks.acquire(name, { owner, lease: lease ?? LEASE_MS, ...terms })), owner };
  }
  return heldLock(await lockOf(load, name, client).acquire({ ...terms, lease }));
};

const modeOf = ({ kind }: Load): Mode => {
  if (kind === 'semaphore' || kind === 'permits' || kind === 'limit') return 'permit';
  return kind === 'read' ? 'read' : 'exclusive';
};

/** Acts until the section is over, or the hold is lost. Resolves with the last instant at which it acted. */
const act = async (held: Held, from: number, ms: number): Promise<number> => {
  const over = from + ms;
  let lastActed = from;
  for (;;) {
    const now = monotonicNow();
    if (!held.isHeld()) return lastActed;
    lastActed = now;
    if (now >= over) return now;
    await sleep(Math.min(LOOK_MS, Math.max(0, over - now)));
  }
};

const attempt = async (load: Load): Promise<void> => {
  const id = `${process.pid}:${++attempts}`;
  const { kind, lease, wait } = load;
  const lock = rng.pick(load.names);
  recorder.note({ k: 'invoke', id, at: monotonicNow(), kind, lock, mode: modeOf(load), wait });
  if (kind === 'fair') arriving.set(lock, [...(arriving.get(lock) ?? []), id]);
  let held: Held;
  try {
    held = await take(load, lock);
    hasArrived(lock, id);
  } catch (error) {
    hasArrived(lock, id);
    if (!(error instanceof LockError)) crashed(error);
    recorder.note({ k: 'refused', id, at: monotonicNow(), error: error instanceof Error ? error.name : String(error) });
    await sleep(20);
    return;
  }
  grants += 1;
  const at = monotonicNow();
  recorder.note({
    k: 'grant',
    id,
    at,
    ...(held.fence === undefined ? {} : { fence: String(held.fence) }),
    ...(lease === undefined ? {} : { lease }),
    ...(held.owner === undefined ? {} : { owner: held.owner }),
  });
  let lostAt: number | undefined;
  held.signal?.addEventListener('abort', () => (lostAt = monotonicNow()));
  const until = await act(held, at, rng.next() * load.hold);
  // The entry is written before the release, because a process killed in between had ended its work.
  recorder.note({ k: 'end', id, at: monotonicNow(), until, ...(lostAt === undefined ? {} : { lostAt }) });
  await held.release().catch((error: unknown) => {
    if (!(error instanceof LockError)) crashed(error);
  });
};

const loop = async (load: Load): Promise<void> => {
  while (!stopping.signal.aborted) {
    await attempt(load);
    await sleep(rng.next() * (load.pause ?? 5));
  }
};

/** A process that acquires and releases locks, and records what happened. */
export const api = {
  start: (loads: readonly Load[]): void => {
    for (const load of loads) for (let count = 0; count < load.loops; count++) loops.push(loop(load));
  },
  grants: (): number => grants,
  clientId: (): Promise<string> =>
    client.locks.withLock(`client:${process.pid}`, ({ owner }) => owner.slice(0, owner.lastIndexOf(':'))),
  /** Keeps the event loop busy. */
  block: (ms: number): void => {
    const end = performance.now() + ms;
    while (performance.now() < end);
  },
  /** Resolves when every attempt has its answer, or with `stuck` after `ms`. */
  stop: async (ms: number): Promise<'stopped' | 'stuck'> => {
    stopping.abort();
    const limit = new AbortController();
    const stuck = sleep(ms, 'stuck' as const, { signal: limit.signal }).catch(() => 'stuck' as const);
    const outcome = await Promise.race([Promise.all(loops).then(() => 'stopped' as const), stuck]);
    limit.abort();
    // Aborted attempts are undone, as at the end of an application.
    await client.runtime.acquirer.settled();
    naive?.disconnect();
    redisson?.close();
    await client.close();
    return outcome;
  },
};

serve(api);
