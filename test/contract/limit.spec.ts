import {
  LockConflictError,
  LockLostError,
  LockOptionsError,
  LockTimeoutError,
  type Hold,
} from '../../lib/standalone.js';
import { limitPermits } from '../../lib/keys/redisson-keys.js';
import type { Client } from '../kit/client.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { track } from '../kit/time.js';
import { crowd, UnsafeCounter } from '../kit/unsafe-counter.js';

/** A caller that has a permit until it leaves. */
interface Inside {
  readonly hold: Hold;
  readonly leave: () => Promise<unknown>;
}

const enter = async ({ locks }: Client, limit: number, options = {}): Promise<Inside> => {
  const hold = await locks.acquire('n', { limit, ...options });
  return { hold, leave: () => hold.release() };
};

const differences = ({ events }: Client) => events.filter(({ type }) => type === 'limits-differ');

onEveryBackend((world) => {
  describe('A limit', () => {
    it('lets as many callers of all clients in as it says, and leaves nothing behind', async () => {
      const clients = await Promise.all(Array.from({ length: 4 }, () => world.open({ wait: Infinity })));
      const counter = new UnsafeCounter(world);
      const crowds = clients.map(({ locks }) =>
        crowd(3, 5, () => locks.withLock('n', { limit: 3 }, () => counter.add(2))),
      );
      await world.time.finish(Promise.all(crowds), 30_000);
      expect(counter.mostInside).toBe(3);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('refuses a caller that does not wait, and tells how many permits are in use', async () => {
      const [one, two] = [await world.open(), await world.open()];
      const inside = [await enter(one, 2), await enter(one, 2)];
      const refused = two.locks.withLock('n', { limit: 2, wait: 0 }, () => {});
      await expect(refused).rejects.toThrow(LockConflictError);
      await expect(refused).rejects.toMatchObject({
        message: expect.stringMatching(/^Limit "n" is reached \(2 permits in use, 2 allowed\)\. One is free in \d+ ms/),
        details: { inUse: 2, limit: 2, holder: inside[0]?.hold.owner },
      });
      const late = two.locks.withLock('n', { limit: 2, wait: 100 }, () => {});
      await expect(world.time.finish(late, 500 + world.time.slack)).rejects.toThrow(LockTimeoutError);
      await Promise.all(inside.map(({ leave }) => leave()));
    });

    it('wakes a waiter of another client when a caller leaves', async () => {
      const [one, two] = [await world.open(), await world.open()];
      const inside = [await enter(one, 2), await enter(one, 2)];
      const waiting = enter(two, 2, { wait: Infinity });
      const progress = track(waiting);
      await world.time.pass(200);
      expect(progress.settled).toBe(false);
      await inside[1]?.leave();
      const next = await world.time.finish(waiting, 200 + world.time.slack);
      await Promise.all([inside[0]?.leave(), next.leave()]);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('counts a call inside another one of the same name once', async () => {
      const { locks } = await world.open();
      const inner = () => locks.withLock('n', { limit: 1, wait: 0 }, (hold) => hold.owner);
      const [outer, same] = await locks.withLock(
        'n',
        { limit: 1 },
        async (hold) => [hold.owner, await inner()] as const,
      );
      expect(same).toBe(outer);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('renews the permit of a caller as long as it runs', async () => {
      const [one, two] = [await world.open({ renewedLease: 3000 }), await world.open()];
      const { hold, leave } = await enter(one, 1);
      for (let renewals = 0; renewals < 2; renewals++) await world.time.renewed(async () => [hold.remaining]);
      expect(hold.signal.aborted).toBe(false);
      await expect(two.locks.withLock('n', { limit: 1, wait: 0 }, () => {})).rejects.toThrow(LockConflictError);
      await leave();
    });

    it('gets back the permits of a client that has gone, within their lease', async () => {
      const [gone, alive] = [await world.open({ renewedLease: 900 }), await world.open()];
      const lost = [await enter(gone, 3), await enter(gone, 3)];
      const { leave } = await enter(alive, 3);
      await gone.close();
      const waiting = Promise.all([enter(alive, 3, { wait: Infinity }), enter(alive, 3, { wait: Infinity })]);
      const others = await world.time.finish(waiting, 900 + world.time.slack);
      expect(others.map(({ hold }) => hold.isHeld)).toEqual([true, true]);
      await Promise.all([leave(), ...others.map((other) => other.leave())]);
      await Promise.allSettled(lost.map((each) => each.leave()));
    });

    it('takes a permit from a caller whose lease has ended', async () => {
      const [one, two] = [await world.open(), await world.open()];
      const late = await enter(one, 1, { lease: 300 });
      const next = await world.time.finish(enter(two, 1, { wait: Infinity }), 300 + world.time.slack);
      expect(late.hold.signal.aborted).toBe(true);
      await late.leave();
      // The end of the work whose lease was over takes nothing from the next.
      await expect(one.locks.withLock('n', { limit: 1, wait: 0 }, () => {})).rejects.toThrow(LockConflictError);
      await next.leave();
    });

    it('tells a caller whose permit was deleted', async () => {
      const client = await world.open({ renewedLease: 900 });
      const { hold, leave } = await enter(client, 2);
      await world.probe.remove(limitPermits('n'));
      await world.time.until(() => hold.signal.aborted, 900 + world.time.slack);
      expect(() => hold.assertHeld()).toThrow(LockLostError);
      await leave();
    });
  });

  describe.each([false, true])('A limit without a callback, fair: %p', (fair) => {
    it('is held until its release, and is not given to more callers than it says', async () => {
      const [one, two] = [await world.open(), await world.open()];
      {
        await using hold = await one.locks.acquire('n', { limit: 2, fair });
        const second = await one.locks.tryAcquire('n', { limit: 2, fair });
        expect([hold.isHeld, second?.isHeld]).toEqual([true, true]);
        await expect(two.locks.tryAcquire('n', { limit: 2, fair })).resolves.toBeNull();
        await expect(second?.release()).resolves.toBe('released');
      }
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('is entered again in its scope, by any form of call', async () => {
      const { locks } = await world.open();
      await locks.runInScope(async () => {
        const outer = await locks.acquire('n', { limit: 1, fair });
        const inner = await locks.acquire('n', { limit: 1, fair, wait: 0 });
        expect(inner.owner).toBe(outer.owner);
        await expect(inner.release()).resolves.toBe('still-held');
        await expect(locks.withLock('n', { limit: 1, fair, wait: 0 }, ({ owner }) => owner)).resolves.toBe(outer.owner);
        await outer.release();
      });
      await expect(world.probe.names()).resolves.toEqual([]);
    });
  });

  describe.each([false, true])('The numbers of the permits of a limit, fair: %p', (fair) => {
    const numbered = { limit: 3, numbered: true, fair } as const;
    const leaveAll = async (holds: readonly (Hold | undefined)[]): Promise<void> => {
      for (const hold of holds) await hold?.release();
    };
    const slots = (holds: readonly Hold[]): readonly (number | undefined)[] => holds.map(({ slot }) => slot);

    it('are the lowest that no other permit in use has, in all processes', async () => {
      const [one, two] = [await world.open(), await world.open()];
      const first = [await one.locks.acquire('n', numbered), await two.locks.acquire('n', numbered)];
      const third = await one.locks.acquire('n', numbered);
      expect(slots([...first, third])).toEqual([0, 1, 2]);
      await first[1]?.release();
      const again = await one.locks.acquire('n', numbered);
      expect(again.slot).toBe(1);
      await leaveAll([first[0], again]);
      const last = [await two.locks.acquire('n', numbered), await two.locks.acquire('n', numbered)];
      expect(slots(last)).toEqual([0, 1]);
      await leaveAll([third, ...last]);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('go to waiters as they become free', async () => {
      const [one, two] = [await world.open(), await world.open()];
      const holds = await Promise.all([0, 1, 2].map(() => one.locks.acquire('n', numbered)));
      expect(new Set(slots(holds))).toEqual(new Set([0, 1, 2]));
      const waiting = Promise.all([1, 2].map(() => two.locks.acquire('n', { ...numbered, wait: '1m' })));
      await world.time.pass(100);
      const given = [holds[2], holds[0]];
      await leaveAll(given);
      const next = await world.time.finish(waiting, 500 + world.time.slack);
      expect(new Set(slots(next))).toEqual(new Set(given.map((hold) => hold?.slot)));
      await leaveAll([holds[1], ...next]);
    });

    it('stay over renewals, and are free with the permit of a process that has died', async () => {
      const [one, two] = [await world.open({ renewedLease: 900 }), await world.open({ renewedLease: 900 })];
      const kept = await two.locks.acquire('n', { limit: 1, numbered: true, fair });
      const lost = await one.locks.acquire('n', { limit: 2, numbered: true, fair });
      expect(slots([kept, lost])).toEqual([0, 1]);
      await one.close();
      const waiting = two.locks.acquire('n', { limit: 2, numbered: true, fair, wait: '10s' });
      const next = await world.time.finish(waiting, 900 + world.time.slack);
      expect(slots([kept, next])).toEqual([0, 1]);
      kept.assertHeld();
      await leaveAll([kept, next]);
    });

    it('are of those that ask for them: a re-entry has that of its permit, another caller none', async () => {
      const { locks } = await world.open();
      const plain = await locks.acquire('n', { limit: 3, fair });
      expect(plain.slot).toBeUndefined();
      const inside = await locks.withLock('n', numbered, async (hold) => {
        const inner = await locks.acquire('n', numbered);
        await inner.release();
        return [hold.slot, inner.slot];
      });
      expect(inside).toEqual([0, 0]);
      await plain.release();
      const { slot } = await locks.acquire('other');
      expect(slot).toBeUndefined();
    });
  });

  it('Numbers without a limit are refused', async () => {
    const { locks } = await world.open();
    for (const options of [{ numbered: true }, { numbered: false, fair: true }])
      await expect(locks.acquire('n', options as never)).rejects.toThrow(
        'numbered and a missing limit contradict each other',
      );
    await expect(locks.acquire('n', { limit: 2, numbered: 'yes' } as never)).rejects.toThrow(
      'numbered must be true or false',
    );
  });

  describe('Callers with different limits', () => {
    it('are measured each by its own: a smaller one waits until fewer are in use', async () => {
      const [three, two] = [await world.open(), await world.open()];
      const [a, b, c] = [await enter(three, 3), await enter(three, 3), await enter(three, 3)];
      const waiting = enter(two, 2, { wait: Infinity });
      const progress = track(waiting);
      await a.leave();
      await world.time.pass(300);
      expect(progress.settled).toBe(false);
      await b.leave();
      const next = await world.time.finish(waiting, 200 + world.time.slack);
      await Promise.all([c.leave(), next.leave()]);
    });

    it('are measured each by its own: a larger one does not wait behind a smaller one of its process', async () => {
      const [one, two] = [await world.open(), await world.open()];
      const inside = [await enter(one, 2), await enter(one, 2)];
      const waiting = enter(two, 2, { wait: Infinity });
      const progress = track(waiting);
      const larger = await world.time.finish(enter(two, 3, { wait: Infinity }), 200 + world.time.slack);
      expect(progress.settled).toBe(false);
      await Promise.all([larger.leave(), ...inside.map(({ leave }) => leave())]);
      await (await world.time.finish(waiting, 200 + world.time.slack)).leave();
    });

    it('are reported once for each pair', async () => {
      const [one, two] = [await world.open(), await world.open()];
      const inside = await enter(one, 3);
      for (let round = 0; round < 3; round++) await two.locks.withLock('n', { limit: 5 }, () => {});
      expect(differences(two)).toEqual([{ type: 'limits-differ', lockName: 'n', limit: 5, other: 3 }]);
      await one.locks.withLock('n', { limit: 3 }, () => {});
      expect(differences(one)).toEqual([{ type: 'limits-differ', lockName: 'n', limit: 3, other: 5 }]);
      await inside.leave();
    });
  });

  describe('A limit that is no number of permits', () => {
    it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '3', null])(
      'is refused before anything is sent: %p',
      async (limit) => {
        const { locks } = await world.open();
        const before = await world.probe.commands();
        const refused = locks.withLock('n', { limit: limit as never }, () => 'never');
        await expect(refused).rejects.toThrow(LockOptionsError);
        await expect(refused).rejects.toMatchObject({ details: { option: 'limit', value: limit } });
        await expect(world.probe.commands()).resolves.toBe(before);
      },
    );

    it('is told apart from bad options and bad work', async () => {
      const { locks } = await world.open();
      const fenced = locks.withLock('n', { limit: 3, fenced: true } as never, () => {});
      await expect(fenced).rejects.toThrow('limit and fenced contradict each other');
      await expect(locks.withLock('n', { limit: 3 }, 7 as never)).rejects.toThrow('withLock needs a function to run');
    });
  });
});
