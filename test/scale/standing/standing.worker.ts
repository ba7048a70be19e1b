import { execFileSync } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';
import threads from 'node:worker_threads';
import {
  createLocks,
  type CreateLocksOptions,
  type Hold,
  type LockEvent,
  type LockService,
} from '../../../lib/standalone.js';
import { occupyLoop, stopThread } from '../../kit/occupy-loop.js';
import { serve } from '../../servers/worker/worker-host.js';

/** The threads that the library has started. */
const started: threads.Worker[] = [];
const { Worker, BroadcastChannel } = threads;
const execArgv = ['--require', fileURLToPath(new URL('./told-sessions.cjs', import.meta.url))];
threads.Worker = class extends Worker {
  constructor(...[file, given]: ConstructorParameters<typeof Worker>) {
    super(file, { ...given, execArgv });
    started.push(this);
  }
};
syncBuiltinESMExports();

/** How often a thread has looked into this one. */
let sessions = 0;
const channel = new BroadcastChannel('sessions');
channel.unref();
channel.onmessage = () => void (sessions += 1);

const options = JSON.parse(process.argv[2] ?? '{}') as CreateLocksOptions;
const log: string[] = [];
const write = (line: string): void => void log.push(line);
const opening = createLocks({ ...options, logger: { log: write, warn: write, error: write } });
const events: LockEvent[] = [];
const holds: Hold[] = [];

/** Every kind of lock that the watchdog renews, except that of independent masters. */
const kinds = (locks: LockService): Readonly<Record<string, () => Promise<Hold>>> => ({
  reentrant: () => locks.acquire('k:reentrant'),
  fair: () => locks.getFairLock('k:fair').acquire(),
  fenced: () => locks.getFencedLock('k:fenced').acquire(),
  spin: () => locks.getSpinLock('k:spin').acquire(),
  read: () => locks.getReadWriteLock('k:read').readLock().acquire(),
  write: () => locks.getReadWriteLock('k:write').writeLock().acquire(),
  group: () => locks.getGroupLock('k:group', ['a', 'b']).acquire(),
  limit: () => locks.acquire('k:limit', { limit: 2 }),
});

/** Calls itself: Node 20 does not see a loop that runs within one call from before the profile. */
const fibonacci = (n: number): number => (n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2));

const state = (hold: Hold) => ({ isHeld: hold.isHeld, aborted: hold.signal.aborted, remaining: hold.remaining });

export const api = {
  /** Acquires, and stands from the first line after that. Resolves with what the next line sees. */
  acquireAndStand: async (name: string, ms: number, terms: object = {}, isBusy = false) => {
    const locks = await opening;
    const hold = await locks.acquire(name, terms);
    if (isBusy) occupyLoop(ms);
    else stopThread(ms);
    const seen = state(hold);
    holds.push(hold);
    return seen;
  },
  /** As above, with work in a function, or in another process. */
  acquireAndWork: async (name: string, ms: number, isNative = false) => {
    holds.push(await (await opening).acquire(name));
    if (isNative) execFileSync('sleep', [String(ms / 1000)]);
    else for (const end = performance.now() + ms; performance.now() < end;) fibonacci(20);
  },
  acquireEveryKindAndStand: async (ms: number) => {
    const locks = await opening;
    const all = kinds(locks);
    for (const acquire of Object.values(all)) holds.push(await acquire());
    const permits = locks.getPermitExpirableSemaphore('k:permits');
    await permits.trySetPermits(1);
    const permit = await permits.acquire({ renew: true });
    stopThread(ms);
    const held = Object.keys(all).filter((_, index) => holds[index]?.isHeld);
    const isPermitHeld = permit.isHeld;
    await permit.release();
    await permits.delete();
    return { all: Object.keys(all), held, isPermitHeld };
  },
  acquireFromMastersAndStand: async (name: string, ms: number) => {
    const locks = await opening;
    const hold = await locks.getRedLock(name).acquire();
    stopThread(ms);
    const seen = state(hold);
    holds.push(hold);
    return seen;
  },
  listen: async () => void (await opening).onEvent((event) => void events.push(event)),
  acquire: async (name: string) => void holds.push(await (await opening).acquire(name)),
  /** Stands without a word to anybody, for longer than any test. */
  hang: () => void setTimeout(() => stopThread(600_000), 50),
  states: () => holds.map(state),
  release: () => Promise.all(holds.splice(0).map((hold) => hold.release())),
  events: () => events,
  log: () => log,
  sessions: () => sessions,
  threads: () => started.filter(({ threadId }) => threadId > 0).length,
  endThread: async () => void (await Promise.all(started.map((thread) => thread.terminate()))),
  close: async () => (await opening).close(),
  letGo: (): void => process.channel?.unref(),
};

serve(api);
