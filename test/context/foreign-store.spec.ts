import { LockError, type Lock, type LockService, type RedisLockOptions } from '../../lib/standalone.js';
import type { LockEventType } from '../../lib/advanced.js';
import type { Client } from '../kit/client.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { LOCKS, useSynchronizers } from '../topologies/every-kind.js';
import { Requests } from './requests.js';

const NOWHERE = { leaks: [], wasHeard: true, heardIn: [], kept: [] };
const OPTIONS = { renewedLease: 1200, safetyPoll: 200 } satisfies Partial<RedisLockOptions>;

/** A lock that is not free while the one of this kind is held. */
const rivalOf = (kind: string, own: (locks: LockService, name: string) => Lock) =>
  kind === 'read' ? (locks: LockService, name: string) => locks.getReadWriteLock(name).writeLock() : own;

onEveryBackend((world) => {
  let requests: Requests;
  /** The requests in which listeners were called. */
  let heardIn: (number | undefined)[];

  beforeEach(() => {
    requests = new Requests();
    heardIn = [];
  });

  afterEach(() => requests.end());

  const open = async (): Promise<Client> => {
    const client = await requests.call(() => world.open(OPTIONS));
    if (client instanceof LockError) throw client;
    client.locks.onEvent('all', () => heardIn.push(requests.current));
    return client;
  };

  const hearAbort = (signal: AbortSignal): void =>
    signal.addEventListener('abort', () => heardIn.push(requests.current));

  /** Makes a call in a request of its own, while time passes. */
  const call = async <T>(work: () => T | Promise<T>): Promise<T> => {
    const result = await world.time.finish(requests.call(work), 5000);
    if (result instanceof LockError) throw result;
    return result;
  };

  /** Resolves after the next event of this type. A listener in the scope of the holds would keep them. */
  const next = (client: Client, type: LockEventType): Promise<unknown> => {
    let isHeard = false;
    client.locks.onEvent(type, () => (isHeard = true));
    return world.time.until(() => isHeard, 5000);
  };

  /** One call after the other, each in another request: after a wait, a loss, an end of the lease and a time-out. */
  const useLock = async (one: Client, other: Client, kind: string, lockOf: (typeof LOCKS)[number][1]) => {
    const rival = rivalOf(kind, lockOf)(one.locks, 'order:7');
    const held = await call(() => lockOf(other.locks, 'order:7').acquire());
    const waits = next(one, 'waiting');
    const waiting = requests.call(() => rival.acquire({ wait: '20s' }));
    await waits;
    expect(await call(() => rival.tryAcquire({ wait: 20 }))).toBeNull();
    await call(() => held.release());
    const hold = await call(() => waiting);
    if (hold instanceof LockError) throw hold;
    await call(() => hearAbort(hold.signal));
    await next(one, 'renewed');
    await world.probe.clear();
    await world.time.until(() => hold.signal.aborted, 5000);
    await call(() => hold.release());
    const short = await call(() => rival.acquire({ lease: 1000 }));
    await call(() => hearAbort(short.signal));
    await world.time.until(() => short.signal.aborted, 5000);
    await call(() => rival.withLock(() => requests.call(() => rival.isLocked())));
  };

  /** Where a store of a request was found: timers and sockets made in one, calls of listeners in one, and those kept. */
  const found = async () => ({
    leaks: requests.leaks,
    wasHeard: heardIn.length > 0,
    heardIn: heardIn.filter((id) => id !== undefined),
    kept: await requests.kept(),
  });

  it.each(LOCKS)(
    'D45: no timer, socket or listener of the %s lock has the store of a request, and none keeps it',
    async (kind, lockOf) => {
      const [one, other] = [await open(), await open()];
      const kept = await one.locks.acquire('kept');
      await useLock(one, other, kind, lockOf);
      expect(await found()).toEqual(NOWHERE);
      await kept.release();
    },
  );

  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['a semaphore, permits, a latch, a limit and a single flight', ({ locks }) => useSynchronizers(locks, 'all')],
    [
      'an upgrade and a downgrade',
      async ({ locks }) => {
        const hold = await locks.getReadWriteLock('rw').readLock().acquire();
        const written = await hold.tryUpgrade();
        await (await written?.downgrade())?.release();
      },
    ],
    [
      'a hold that is detached and attached',
      async ({ locks }) => {
        const hold = await locks.acquire('detached');
        await (await locks.attach(await hold.detach())).release();
      },
    ],
    ['a minimum hold', ({ locks }) => locks.withLock('kept', { holdAtLeast: 100 }, () => {})],
  ])('D45: %s leave no store of a request behind', async (_, use) => {
    const client = await open();
    await call(() => use(client));
    expect(await found()).toEqual(NOWHERE);
  });

  it('D45: a leader election runs in no request, whichever began it', async () => {
    const client = await open();
    const signals: AbortSignal[] = [];
    const election = client.locks.getLeaderElection('leader', {
      onElected: (signal) => {
        heardIn.push(requests.current);
        hearAbort(signal);
        signals.push(signal);
      },
      onDemoted: () => heardIn.push(requests.current),
    });
    await call(() => election.start());
    await world.time.until(() => signals.length === 1, 5000);
    expect(await found()).toEqual(NOWHERE);
    await call(() => election.stop());
    expect(await found()).toEqual(NOWHERE);
  });

  it('D45: a listener that enters a store leaks it to no later listener', async () => {
    const client = await open();
    const foreign = new Requests();
    client.locks.onEvent('acquired', () => foreign.enterForGood());
    await client.locks.withLock('one', () => {});
    client.locks.onEvent('released', () => heardIn.push(foreign.current));
    await client.locks.withLock('two', () => {});
    expect(heardIn.filter((id) => id !== undefined)).toEqual([]);
    foreign.end();
  });
});
