import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { memoryBackend } from '../../../lib/backend/memory/memory-backend.js';
import { LockService, type Hold, type LockEvent, type PermitExpirableSemaphore } from '../../../lib/standalone.js';
import { parseModuleOptions } from '../../../lib/module/options/redis-lock.options.js';
import { createRuntime, type OwnedRuntime } from '../../../lib/module/runtime.factory.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Collections after which whatever nothing refers to was told, with a wide margin: one or two are enough. */
const MOST_ROUNDS = 20;

/** A third of the watchdog's lease: by then each hold has been in a round of renewals. */
const ROUND_MS = 10_000;

type Forgotten = LockEvent & { readonly type: 'forgotten' };

describe('D61: a hold that nothing refers to', () => {
  let clock: ManualClock;
  let runtime: OwnedRuntime;
  let locks: LockService;
  const told: Forgotten[] = [];

  beforeEach(() => {
    told.length = 0;
    clock = new ManualClock();
    runtime = createRuntime(parseModuleOptions({ connection: 'memory', keyPrefix: '' }), clock, memoryBackend);
    locks = new LockService(runtime);
    locks.onEvent('forgotten', (event) => void told.push(event));
    runtime.open();
  });
  afterEach(async () => {
    runtime.watchdog.stop();
    await runtime.close(0);
  });

  /** Collects garbage after each round of renewals until these names were told. */
  const untilTold = async (...names: readonly string[]): Promise<void> => {
    const isTold = (name: string): boolean => told.some(({ lockName }) => lockName === name);
    for (let round = 0; round < MOST_ROUNDS && !names.every(isTold); round++) {
      await clock.advance(ROUND_MS);
      collect();
      await new Promise(setImmediate);
    }
    expect(told.map(({ lockName }) => lockName)).toEqual(expect.arrayContaining([...names]));
  };

  const permits = async (name: string): Promise<PermitExpirableSemaphore> => {
    const semaphore = locks.getPermitExpirableSemaphore(name);
    await semaphore.trySetPermits(2);
    return semaphore;
  };

  const ways: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
    acquire: (name) => locks.acquire(name),
    tryAcquire: (name) => locks.tryAcquire(name),
    'a fair lock': (name) => locks.acquire(name, { fair: true }),
    'a fenced lock': (name) => locks.getFencedLock(name).acquire(),
    'a spin lock': (name) => locks.getSpinLock(name).acquire(),
    'a read lock': (name) => locks.getReadWriteLock(name).readLock().acquire(),
    'a write lock': (name) => locks.getReadWriteLock(name).writeLock().acquire(),
    'a multi-lock': (name) => locks.getMultiLock(name, `${name}-2`).acquire(),
    'an attached hold': async (name) => locks.attach(await (await locks.acquire(name)).detach()),
    'an upgraded hold': async (name) => (await locks.getReadWriteLock(name).readLock().acquire()).tryUpgrade(),
    'a permit that is renewed': async (name) => void (await (await permits(name)).acquire({ renew: true })),
    'permits that are renewed': async (name) => void (await (await permits(name)).tryAcquireMany(2, { renew: true })),
    'a hold whose run() has ended': async (name) => (await locks.acquire(name)).run(() => 'done'),
    'a hold of a scope that has ended': (name) => locks.runInScope(async () => void (await locks.acquire(name))),
    'a hold inside another that has ended': (name) =>
      locks.withLock(name, async () => void (await locks.acquire(name))),
  };

  it.each(Object.keys(ways))('is told with its name and its place, and renewed no longer: %s', async (way) => {
    const name = way.replaceAll(/\W/g, '-');
    await ways[way]?.(name);
    await untilTold(name);
    expect(told[0]?.acquiredAt).toContain('collected.spec.ts');
    const renewed: string[] = [];
    locks.onEvent('renewed', ({ lockName }) => void renewed.push(lockName));
    await clock.advance(3 * ROUND_MS);
    expect(renewed).toEqual([]);
  });

  it.each([
    ['a lock', 'acquire', 1],
    ['a permit', 'a permit that is renewed', 1],
    ['each of several permits', 'permits that are renewed', 2],
  ] as const)('has its release told as that of one that was abandoned: %s', async (_, way, count) => {
    const released: unknown[] = [];
    locks.onEvent('released', ({ lockName, how }) => void released.push([lockName, how]));
    await ways[way]?.('n');
    await untilTold('n');
    expect(released).toEqual(Array(count).fill(['n', 'abandoned']));
  });

  const kept: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
    'its hold': (name) => locks.acquire(name),
    'the promise of its hold': async (name) => [locks.acquire(name)],
    'its signal': async (name) => (await locks.acquire(name)).signal,
    'the hold of several locks': (name) => locks.getMultiLock(name, `${name}-2`).acquire(),
    'the signal of a hold of several locks': async (name) =>
      (await locks.getMultiLock(name, `${name}-2`).acquire()).signal,
    'a permit': async (name) => (await permits(name)).acquire({ renew: true }),
    'the id of a permit': async (name) => (await (await permits(name)).acquire({ renew: true })).id,
    'the signal of a permit': async (name) => (await (await permits(name)).acquire({ renew: true })).signal,
    'the hold that it was upgraded from': async (name) => {
      const reading = await locks.getReadWriteLock(name).readLock().acquire();
      await reading.tryUpgrade();
      return reading;
    },
  };

  it.each(Object.keys(kept))('is not told, as code has %s', async (what) => {
    const keeping: unknown = await kept[what]?.('kept');
    await (async () => void (await locks.acquire('forgotten')))();
    await untilTold('forgotten');
    await clock.advance(ROUND_MS);
    collect();
    await new Promise(setImmediate);
    expect(told.map(({ lockName }) => lockName)).toEqual(['forgotten']);
    expect(keeping).toBeDefined();
  });

  it('is not told in its scope, where its lock can be released without it', async () => {
    await locks.runInScope(async () => {
      await locks.acquire('in-scope');
      await locks.runInScope(async () => void (await locks.acquire('forgotten')));
      await untilTold('forgotten');
      await locks.getLock('in-scope').release();
    });
    expect(told.map(({ lockName }) => lockName)).toEqual(['forgotten']);
  });

  it('is not told of a leader, whose election nothing has to refer to', async () => {
    let signal: AbortSignal | undefined;
    const elected = new Promise<void>((resolve) => {
      const onElected = (leading: AbortSignal, _hold: Hold): void => {
        signal = leading;
        resolve();
      };
      locks.getLeaderElection('leader', { onElected }).start();
    });
    await elected;
    await (async () => void (await locks.acquire('forgotten')))();
    await untilTold('forgotten');
    expect(told.map(({ lockName }) => lockName)).toEqual(['forgotten']);
    expect(signal?.aborted).toBe(false);
  });
});
