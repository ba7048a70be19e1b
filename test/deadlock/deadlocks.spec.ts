import {
  LockDeadlockError,
  LockTimeoutError,
  type Lock,
  type LockEvent,
  type LockService,
} from '../../lib/standalone.js';
import type { Client, ClientOptions } from '../kit/client.js';
import { inWorld } from '../kit/every-backend.js';
import { MemoryWorld } from '../kit/memory-world.js';
import { Gate } from '../kit/gate.js';
import { track } from '../kit/time.js';

/** Runs work under a lock or a permit. */
type Enter = (work: () => Promise<unknown>) => Promise<unknown>;

/** From the begin of the wait that closes the circle. */
const RESOLVED_WITHIN = 2500;

const WAIT = { wait: '60s' } as const;

const under =
  (lock: Lock): Enter =>
  (work) =>
    lock.withLock(WAIT, work);

const deadlocksOf = (clients: readonly Client[]): readonly LockEvent[] =>
  clients.flatMap(({ events }) => events).filter(({ type }) => type === 'deadlock');

inWorld(new MemoryWorld(), (world) => {
  /** Lets each caller hold its first lock before any waits for its second one. Resolves with what each got. */
  const runTogether = (callers: readonly (readonly [outer: Enter, inner: Enter])[]): readonly Promise<string>[] => {
    const all = new Gate();
    let inside = 0;
    return callers.map(async ([outer, inner]) => {
      try {
        await outer(async () => {
          inside += 1;
          if (inside === callers.length) all.open();
          await all.pass();
          await inner(async () => {});
        });
        return 'done';
      } catch (error) {
        return error instanceof LockDeadlockError ? 'deadlock' : String(error);
      }
    });
  };

  const openAll = async (count: number, options?: ClientOptions): Promise<readonly [Client, ...Client[]]> => {
    const first = await world.open(options);
    const others = await Promise.all(Array.from({ length: count - 1 }, () => world.open(options)));
    return [first, ...others];
  };

  /** Whether records of waits are left, in the keys that end with this. */
  const recorded = async (): Promise<readonly string[]> =>
    (await world.probe.names()).filter((name) => name.endsWith(':blocked'));

  /** How the calls end, in the order of the alphabet, and how many deadlocks are told of. Fails if that is late. */
  const endingsOf = async (
    runs: readonly Promise<string>[],
    clients: readonly Client[],
  ): Promise<readonly (string | number)[]> => {
    const outcomes = await world.time.finish(Promise.all(runs), RESOLVED_WITHIN);
    await world.time.until(async () => (await recorded()).length === 0, 1000);
    return [...outcomes.toSorted(), deadlocksOf(clients).length];
  };

  describe('A deadlock', () => {
    it('of two processes ends: one gives up, the other gets its lock', async () => {
      const [a, b] = await openAll(2);
      const second = b ?? a;
      const runs = runTogether([
        [under(a.locks.getLock('1')), under(a.locks.getLock('2'))],
        [under(second.locks.getLock('2')), under(second.locks.getLock('1'))],
      ]);
      await expect(endingsOf(runs, [a, second])).resolves.toEqual(['deadlock', 'done', 1]);
    });

    it('of three processes ends: one gives up, the others get their locks', async () => {
      const clients = await openAll(3);
      const runs = runTogether(
        clients.map(({ locks }, index) => [
          under(locks.getLock(`n${index}`)),
          under(locks.getLock(`n${(index + 1) % 3}`)),
        ]),
      );
      await expect(endingsOf(runs, clients)).resolves.toEqual(['deadlock', 'done', 'done', 1]);
    });

    it('inside one process ends as well', async () => {
      const [client] = await openAll(1);
      const { locks } = client;
      const runs = runTogether([
        [under(locks.getLock('1')), under(locks.getLock('2'))],
        [under(locks.getLock('2')), under(locks.getLock('1'))],
      ]);
      await expect(endingsOf(runs, [client])).resolves.toEqual(['deadlock', 'done', 1]);
    });

    it.each([
      ['fair locks', (locks: LockService, name: string) => locks.getFairLock(name)],
      ['fenced locks', (locks: LockService, name: string) => locks.getFencedLock(name)],
      ['spin locks', (locks: LockService, name: string) => locks.getSpinLock(name)],
      ['write locks', (locks: LockService, name: string) => locks.getReadWriteLock(name).writeLock()],
      ['group locks', (locks: LockService, name: string) => locks.getGroupLock('g', [name])],
    ])('of %s ends', async (_, lockOf) => {
      const [a, second = a] = await openAll(2);
      const runs = runTogether([
        [under(lockOf(a.locks, '1')), under(lockOf(a.locks, '2'))],
        [under(lockOf(second.locks, '2')), under(lockOf(second.locks, '1'))],
      ]);
      await expect(endingsOf(runs, [a, second])).resolves.toEqual(['deadlock', 'done', 1]);
    });

    it('between a reader and a writer ends', async () => {
      const [a, second = a] = await openAll(2);
      const runs = runTogether([
        [under(a.locks.getReadWriteLock('n').readLock()), under(a.locks.getLock('x'))],
        [under(second.locks.getLock('x')), under(second.locks.getReadWriteLock('n').writeLock())],
      ]);
      await expect(endingsOf(runs, [a, second])).resolves.toEqual(['deadlock', 'done', 1]);
    });

    it('of the owners of all permits of a limit ends', async () => {
      const clients = await openAll(3);
      const limited =
        ({ locks }: Client): Enter =>
        (work) =>
          locks.withLock('n', { limit: 2, ...WAIT }, work);
      const [a, b = a, c = a] = clients;
      const runs = runTogether([
        [limited(a), under(a.locks.getLock('x'))],
        [limited(b), under(b.locks.getLock('x'))],
        [under(c.locks.getLock('x')), limited(c)],
      ]);
      await expect(endingsOf(runs, clients)).resolves.toEqual(['deadlock', 'done', 'done', 1]);
    });

    it('of scopes that keep what they acquired ends', async () => {
      const [a, second = a] = await openAll(2);
      const scoped =
        ({ locks }: Client, name: string): Enter =>
        (work) =>
          locks.runInScope(async () => {
            const hold = await locks.acquire(name, WAIT);
            try {
              await work();
            } finally {
              await hold.release();
            }
          });
      const runs = runTogether([
        [scoped(a, '1'), under(a.locks.getLock('2'))],
        [scoped(second, '2'), under(second.locks.getLock('1'))],
      ]);
      await expect(endingsOf(runs, [a, second])).resolves.toEqual(['deadlock', 'done', 1]);
    });

    it('is told with methods, locks and owners, and the error has the same', async () => {
      const [a, second = a] = await openAll(2);
      const errors: unknown[] = [];
      const keep =
        (lock: Lock): Enter =>
        (work) =>
          lock.withLock(WAIT, work).catch((error: unknown) => {
            errors.push(error);
            throw error;
          });
      const owners = new Map<string, string>();
      const named =
        ({ locks }: Client, name: string): Enter =>
        (work) =>
          locks.withLock(name, WAIT, (hold) => {
            owners.set(name, hold.owner);
            return work();
          });
      const runs = runTogether([
        [named(a, '1'), keep(a.locks.getLock('2'))],
        [named(second, '2'), keep(second.locks.getLock('1'))],
      ]);
      await world.time.finish(Promise.all(runs), RESOLVED_WITHIN);
      const [error] = errors;
      const [event] = deadlocksOf([a, second]);
      const [wanted, held] = error instanceof LockDeadlockError && error.lockName === '1' ? ['1', '2'] : ['2', '1'];
      expect(error).toMatchObject({
        code: 'LOCK_DEADLOCK',
        lockName: wanted,
        details: {
          cycle: [
            { holds: held, owner: owners.get(held), waitsFor: wanted },
            { holds: wanted, owner: owners.get(wanted), waitsFor: held },
          ],
        },
      });
      expect(event).toMatchObject({ lockName: wanted, connection: 'default', kind: 'reentrant' });
      expect(event).toMatchObject({ cycle: (error as LockDeadlockError).details['cycle'] });
      expect(String(error)).toContain(`holds "${held}" (${owners.get(held)}) and waits for "${wanted}"`);
    });
  });

  describe('No deadlock is found', () => {
    /** Longer than any deadlock would need to be found. */
    const LONG = 3000;

    it('where the holder goes on', async () => {
      const [a, second = a] = await openAll(2);
      const gate = new Gate();
      const work = second.locks.withLock('2', WAIT, () => gate.pass());
      await gate.reached;
      const waiting = a.locks.withLock('1', WAIT, () => a.locks.withLock('2', WAIT, () => 'done'));
      await world.time.pass(LONG);
      expect(track(waiting).settled).toBe(false);
      gate.open();
      await world.time.finish(work, 1000);
      await expect(world.time.finish(waiting, 1000)).resolves.toBe('done');
      expect(deadlocksOf([a, second])).toEqual([]);
    });

    it('where a permit of a limit is held by a caller that goes on', async () => {
      const [a, b = a, c = a] = await openAll(3);
      const gate = new Gate();
      const free = a.locks.withLock('n', { limit: 2, ...WAIT }, () => gate.pass());
      await gate.reached;
      const runs = runTogether([
        [(work) => b.locks.withLock('n', { limit: 2, ...WAIT }, work), under(b.locks.getLock('x'))],
        [under(c.locks.getLock('x')), (work) => c.locks.withLock('n', { limit: 2, ...WAIT }, work)],
      ]);
      await world.time.pass(LONG);
      gate.open();
      await world.time.finish(free, 1000);
      await expect(world.time.finish(Promise.all(runs), 1000)).resolves.toEqual(['done', 'done']);
    });

    it('where other code of the same scope ends the hold', async () => {
      const [a, second = a] = await openAll(2);
      const gate = new Gate();
      const inScope = a.locks.runInScope(async () => {
        const section = a.locks.withLock('1', WAIT, () => gate.pass());
        await gate.reached;
        const waiting = a.locks.withLock('2', WAIT, () => 'done');
        return Promise.all([section, waiting]);
      });
      await gate.reached;
      const other = second.locks.withLock('2', WAIT, () => second.locks.withLock('1', WAIT, () => 'done'));
      await world.time.pass(LONG);
      gate.open();
      await expect(world.time.finish(other, 1000)).resolves.toBe('done');
      await expect(world.time.finish(inScope, 1000)).resolves.toEqual([undefined, 'done']);
    });

    it('with deadlocks: "off": the waits end at their limits', async () => {
      const [a, second = a] = await openAll(2, { deadlocks: 'off' });
      const run = ({ locks }: Client, [one, two]: readonly [string, string], gate: Gate): Promise<unknown> =>
        locks.withLock(one, WAIT, async () => {
          await gate.pass();
          return locks.withLock(two, { wait: LONG }, () => 'done');
        });
      const [one, two] = [new Gate(), new Gate()];
      const runs = [run(a, ['1', '2'], one), run(second, ['2', '1'], two)];
      await Promise.all([one.reached, two.reached]);
      const outcomes = Promise.allSettled(runs);
      one.open();
      two.open();
      await world.time.pass(LONG - 500);
      await expect(recorded()).resolves.toEqual([]);
      const results = await world.time.finish(outcomes, 1000);
      const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
      expect(reasons.length).toBeGreaterThan(0);
      for (const reason of reasons) expect(reason).toBeInstanceOf(LockTimeoutError);
    });
  });

  describe('Nothing is recorded', () => {
    it('for callers that hold nothing, however long they wait', async () => {
      const [a, second = a] = await openAll(2);
      const hold = await second.locks.acquire('1');
      const waiting = a.locks.withLock('1', WAIT, () => 'done');
      await world.time.pass(1500);
      await expect(recorded()).resolves.toEqual([]);
      await hold.release();
      await expect(world.time.finish(waiting, 1000)).resolves.toBe('done');
    });

    it('before a caller has waited for a second, and after its wait', async () => {
      const [a, second = a] = await openAll(2);
      const hold = await second.locks.acquire('2');
      const started = world.time.now();
      const waiting = a.locks.withLock('1', WAIT, () => a.locks.withLock('2', WAIT, () => 'done'));
      await world.time.until(async () => (await recorded()).length > 0, 2000);
      expect(world.time.now() - started).toBeGreaterThanOrEqual(1000);
      await expect(recorded()).resolves.toEqual(['{1}:blocked']);
      await hold.release();
      await world.time.finish(waiting, 1000);
      await world.time.until(async () => (await recorded()).length === 0, 1000);
    });
  });
});
