import { LockAbortedError, LockLostError, LockOptionsError, LockTimeoutError } from '../../lib/standalone.js';
import type { Hold } from '../../lib/index.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { inWorld, onEveryBackend } from '../kit/every-backend.js';
import { MemoryWorld } from '../kit/memory-world.js';
import { RedisWorld } from '../kit/redis-world.js';

/** Limits so long that no series ends before the test does on a busy machine. */
const LONG = { max: 3, ms: 1000 } as const;

onEveryBackend((world) => {
  const lockOf = async (options = {}) => {
    const client = await world.open({ handover: LONG, ...options });
    const { locks, events, runtime } = client;
    return { locks, events, runtime, lock: locks.getLock('till') };
  };

  /** Waiters of which the first has asked the server, and the others stand behind it. */
  const queue = async (...enter: readonly [() => Promise<Hold>, ...(() => Promise<Hold>)[]]) => {
    const [first, ...others] = enter;
    const waiting = [first(), ...others.map((begin) => begin())] as const;
    // The first waiter has tried, subscribed and tried again.
    await world.time.until(async () => (await world.probe.channels()).length > 0, 2000);
    await world.time.pass(30);
    return waiting;
  };

  describe('Hand-over inside a process', () => {
    it('HO-01 passes the lock on in the order of arrival, and the server counts one owner', async () => {
      const { lock } = await lockOf();
      const first = await lock.acquire();
      const wait = () => lock.acquire({ wait: '20s' });
      const waiting = await queue(wait, wait, wait);
      const asked = await world.probe.commands();
      let hold = first;
      for (const next of waiting) {
        await expect(hold.release()).resolves.toBe('released');
        hold = await world.time.finish(next, 1000);
        expect(hold.owner).toBe(first.owner);
        expect(hold.isHeld).toBe(true);
        hold.assertHeld();
        expect((await world.probe.state('till')).owners).toEqual({ [first.owner]: 1 });
        expect(await lock.isLocked()).toBe(true);
      }
      // The test sends commands of its own, and a waiter may look once if a turn takes long. Without hand-over there
      // would be nine commands.
      expect((await world.probe.commands()) - asked).toBeLessThanOrEqual(6);
      await expect(hold.release()).resolves.toBe('released');
      expect((await world.probe.state('till')).type).toBe('none');
    });

    it('HO-02 ends with a real release after `max` times, for waiters of other processes', async () => {
      const { lock } = await lockOf();
      const other = (await lockOf()).lock;
      const order: string[] = [];
      let hold = await lock.acquire();
      const note = (who: string) => (granted: Hold) => {
        order.push(who);
        return granted;
      };
      const enter = () => lock.acquire({ wait: '20s' }).then(note('here'));
      const waiting = await queue(enter, ...Array.from({ length: 7 }, () => enter));
      const elsewhere = other.acquire({ wait: '20s' }).then(note('elsewhere'));
      await world.time.until(async () => (await world.probe.subscribers('redisson_lock__channel:{till}')) === 2, 2000);
      await world.time.pass(30);
      const release = elsewhere.then((granted) => granted.release());
      for (const next of waiting) {
        await hold.release();
        hold = await world.time.finish(next, 2000);
      }
      await hold.release();
      await world.time.finish(release, 2000);
      expect(order.filter((who) => who === 'here')).toHaveLength(8);
      // The other process comes after three hand-overs at the earliest, and after two real releases at the latest.
      expect(order.indexOf('elsewhere')).toBeGreaterThanOrEqual(3);
      expect(order.indexOf('elsewhere')).toBeLessThanOrEqual(8);
    });

    it('HO-03 ends after `ms`', async () => {
      const { lock } = await lockOf({ handover: { max: 100, ms: 40 } });
      const first = await lock.acquire();
      const [next] = await queue(() => lock.acquire({ wait: '20s' }));
      await world.time.pass(50);
      await first.release();
      const hold = await world.time.finish(next, 2000);
      expect(hold.owner).not.toBe(first.owner);
      await hold.release();
    });

    it('HO-04 does not happen to a waiter with another lease', async () => {
      const { lock } = await lockOf();
      const first = await lock.acquire({ lease: 4000 });
      const [next] = await queue(() => lock.acquire({ wait: '20s', lease: 5000 }));
      await first.release();
      const hold = await world.time.finish(next, 2000);
      expect(hold.owner).not.toBe(first.owner);
      await hold.release();
    });

    it('HO-05 does not happen after an extension or a re-entry', async () => {
      const { lock } = await lockOf();
      const extended = await lock.acquire({ lease: 4000 });
      const [second] = await queue(() => lock.acquire({ wait: '20s', lease: 4000 }));
      await extended.extend(9000);
      await extended.release();
      const reentered = await world.time.finish(second, 2000);
      expect(reentered.owner).not.toBe(extended.owner);
      const [third] = await queue(() => lock.acquire({ wait: '20s', lease: 4000 }));
      await reentered.run(() => lock.withLock(() => {}));
      await reentered.release();
      const last = await world.time.finish(third, 2000);
      expect(last.owner).not.toBe(reentered.owner);
      await last.release();
      expect(await world.probe.names()).toEqual([]);
    });

    it('HO-06 skips a waiter that has given up', async () => {
      const { lock } = await lockOf();
      const first = await lock.acquire();
      const giving = new AbortController();
      const refusals = new Map<string, unknown>();
      const [last] = await queue(() => {
        lock.acquire({ wait: '20s', signal: giving.signal }).catch((error) => refusals.set('aborted', error));
        lock.acquire({ wait: 60 }).catch((error) => refusals.set('late', error));
        return lock.acquire({ wait: '20s' });
      });
      giving.abort();
      await world.time.until(() => refusals.size === 2, 2000);
      expect(refusals.get('aborted')).toBeInstanceOf(LockAbortedError);
      expect(refusals.get('late')).toBeInstanceOf(LockTimeoutError);
      await first.release();
      const hold = await world.time.finish(last, 1000);
      expect(hold.owner).toBe(first.owner);
      await hold.release();
    });

    it('HO-07 gives each holder a hold of its own, with its own loss and release', async () => {
      const { lock, events } = await lockOf();
      const first = await lock.acquire();
      const wait = () => lock.acquire({ wait: '20s' });
      const [toSecond, toThird = toSecond] = await queue(wait, wait);
      await first.release();
      const second = await world.time.finish(toSecond, 1000);
      await expect(first.release()).resolves.toBe('released');
      await expect(first.extend('9s')).rejects.toThrow(LockLostError);
      second.assertHeld();
      await expect(lock.forceRelease()).resolves.toBe(true);
      expect(second.signal.aborted).toBe(true);
      expect(second.signal.reason).toBeInstanceOf(LockLostError);
      expect(first.signal.aborted).toBe(false);
      expect(events.filter(({ type }) => type === 'lost')).toHaveLength(1);
      await expect(second.release()).resolves.toBe('expired');
      // A lost lock is not handed over.
      const third = await world.time.finish(toThird, 6000);
      expect(third.owner).not.toBe(first.owner);
      expect((await world.probe.state('till')).owners).toEqual({ [third.owner]: 1 });
      await third.release();
    });

    it('HO-08 is limited to unfair locks without tokens, and can be turned off', async () => {
      const on = await lockOf();
      const off = await lockOf({ handover: false });
      const kinds = [
        on.locks.getFencedLock('fenced'),
        on.locks.getFairLock('fair'),
        on.locks.getReadWriteLock('rw').writeLock(),
        off.lock,
      ];
      for (const lock of kinds) {
        const first = await lock.acquire();
        const [next] = await queue(() => lock.acquire({ wait: '20s' }));
        await first.release();
        const hold = await world.time.finish(next, 2000);
        expect(hold.owner).not.toBe(first.owner);
        await hold.release();
      }
      const fenced = on.locks.getFencedLock('fenced');
      const [earlier, later] = [fenced.withLock(({ fence }) => fence), fenced.withLock(({ fence }) => fence)];
      expect(await world.time.finish(later, 2000)).toBeGreaterThan(await earlier);
    });

    it('HO-09 leaves the lock renewed by the watchdog', async () => {
      const { lock } = await lockOf({ renewedLease: 3000 });
      const first = await lock.acquire();
      const [next] = await queue(() => lock.acquire({ wait: '20s' }));
      await first.release();
      const hold = await world.time.finish(next, 1000);
      expect(hold.owner).toBe(first.owner);
      await world.renewed('till');
      hold.assertHeld();
      expect((await world.probe.state('till')).owners).toEqual({ [first.owner]: 1 });
      await expect(hold.release()).resolves.toBe('released');
    });

    it('HO-12 needs one command a series for two callers of one process that take turns', async () => {
      const { lock } = await lockOf({ handover: { max: 50, ms: 1000 } });
      await (await lock.acquire()).release();
      let turns = 0;
      const caller = async (): Promise<void> => {
        while (turns < 50) {
          const hold = await lock.acquire({ wait: '20s' });
          turns += 1;
          await Promise.resolve();
          await hold.release();
        }
      };
      const asked = await world.probe.commands();
      await world.time.finish(Promise.all([caller(), caller()]), 5000);
      expect((await world.probe.commands()) - asked).toBeLessThanOrEqual(12);
      expect(await lock.isLocked()).toBe(false);
    });

    it('HO-10 leaves four busy clients about equal shares, and serves all of their callers', async () => {
      if (!(world instanceof RedisWorld)) return;
      const { lock: counter } = await lockOf();
      const clients = await Promise.all([1, 2, 3, 4].map(() => lockOf({ handover: undefined })));
      const served = clients.map(() => [0, 0, 0, 0, 0]);
      let inside = 0;
      let total = 0;
      const loops = clients.flatMap(({ lock }, client) =>
        (served[client] ?? []).map(async (_, loop) => {
          while (total < 6000) {
            const hold = await lock.acquire({ wait: '20s' });
            inside += 1;
            if (inside > 1) throw new Error('Two are inside');
            total += 1;
            (served[client] ?? [])[loop] = (served[client]?.[loop] ?? 0) + 1;
            inside -= 1;
            await hold.release();
          }
        }),
      );
      await world.time.finish(Promise.all(loops), 60_000);
      const shares = served.map((loopsOfOne) => loopsOfOne.reduce((sum, times) => sum + times, 0) / total);
      // No client starves. The benchmark (S4) measures the shares of processes, while these clients share one event
      // loop.
      for (const share of shares) expect(share).toBeGreaterThan(0.05);
      expect(Math.min(...served.flat())).toBeGreaterThan(0);
      // The queue forgets a peer that it yielded to if that does not come.
      await world.time.until(() => clients.every(({ runtime }) => runtime.acquirer.contended === 0), 1000);
      expect(await counter.isLocked()).toBe(false);
    });

    it('HO-13 wakes a waiter by a release although an earlier one had no subscriber', async () => {
      const { lock } = await lockOf({ handover: false });
      const other = (await lockOf()).lock;
      const first = await lock.acquire();
      const wait = () => lock.acquire({ wait: '20s' });
      const [toSecond, toThird = toSecond] = await queue(wait, wait);
      await world.probe.remove('till');
      await first.release();
      await world.time.finish(toSecond, 2000);
      await world.time.pass(30);
      await other.forceRelease();
      // The waiter is served long before the next safety poll.
      const third = await world.time.finish(toThird, 2000);
      await expect(third.release()).resolves.toBe('released');
    });

    it('HO-11 yields to other processes after a release, but not for long if they do not come', async () => {
      const one = await lockOf({ handover: false });
      const other = await lockOf({ handover: false });
      const hold = await one.lock.acquire();
      const order: string[] = [];
      const visit = (who: string, lock: typeof one.lock) =>
        lock.withLock({ wait: '20s' }, () => {
          order.push(who);
        });
      const there = visit('there', other.lock);
      await world.time.until(async () => (await world.probe.channels()).length > 0, 2000);
      await world.time.pass(30);
      await hold.release();
      const here = visit('here', one.lock);
      await world.time.finish(Promise.all([here, there]), 1000);
      // On a busy machine the other process may come too late.
      const anyOrder = expect.arrayContaining(['here', 'there']);
      expect(order).toEqual(world instanceof RedisWorld ? anyOrder : ['there', 'here']);
    });
  });
});

inWorld(new MemoryWorld(), (world) => {
  describe('A process whose last waiter leaves', () => {
    it.each<readonly [string, (first: Hold, abort: AbortController) => unknown]>([
      ['is handed the lock', (first) => first.release()],
      ['is aborted', (_first, abort) => abort.abort()],
    ])('waits on the server no longer, if it %s', async (_, leave) => {
      const { locks } = await world.open({ handover: LONG });
      const first = await locks.acquire('till');
      const abort = new AbortController();
      const waiting = locks.acquire('till', { wait: '20s', signal: abort.signal }).catch(() => undefined);
      await world.time.until(async () => (await world.probe.waitingClients('till')) === 1, 2000);
      await leave(first, abort);
      // At once: the holder may be about to release, and the lock would be passed on to a process without waiters.
      await expect(world.probe.waitingClients('till')).resolves.toBe(0);
      await waiting;
    });
  });
});

describe('The option handover', () => {
  it.each([true, 0, 'never', { max: 0 }, { max: 1.5 }, { max: 20_000 }, { ms: 0 }, { ms: '2s' }, { often: 3 }])(
    'refuses %p',
    (handover) => {
      expect(() => parseModuleOptions({ handover } as never)).toThrow(LockOptionsError);
    },
  );
});
