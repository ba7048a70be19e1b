import { LockNameError, type LockOptions } from '../../lib/standalone.js';
import { onEveryBackend } from '../kit/every-backend.js';

/** Redisson gives these two names the same companions. */
const PAIRS = [
  ['job', '{job}'],
  ['{job}', 'job'],
] as const;

onEveryBackend((world) => {
  describe.each(PAIRS)('D38: the locks %s and %s', (held, released) => {
    it.each<LockOptions>([{}, { fair: true }, { fenced: true }, { kind: 'spin' }])(
      'are two locks (%p): neither is given in place of the other',
      async (options) => {
        const clients = [
          await world.open({ keyPrefix: '' }),
          await world.open({ keyPrefix: '' }),
          await world.open({ keyPrefix: '' }),
        ];
        const [holder, waiter, other] = clients.map(({ locks }) => locks);
        const first = await holder?.acquire(held, options);
        const free = await other?.acquire(released, options);
        const waiting = waiter?.acquire(held, { ...options, wait: '20s' });
        await world.time.pass(200);
        await free?.release();
        await world.time.pass(100);
        expect(first?.isHeld).toBe(true);
        const { owners } = await world.probe.state(held);
        expect(owners).toEqual({ [first?.owner ?? '']: 1 });
        await first?.release();
        const second = await world.time.finish(waiting ?? Promise.reject(new Error('Nobody waits')), 10_000);
        expect((await world.probe.state(held)).owners).toEqual({ [second.owner]: 1 });
        await second.release();
        // The token of a fenced lock stays.
        expect((await world.probe.names()).filter((name) => !name.includes('token'))).toEqual([]);
      },
    );

    it('are given to their waiters in a fair queue, which Redisson lets them share', async () => {
      const [{ locks: one }, { locks: two }] = [
        await world.open({ keyPrefix: '' }),
        await world.open({ keyPrefix: '' }),
      ];
      const holds = [await one.acquire(held, { fair: true }), await one.acquire(released, { fair: true })];
      const options = { fair: true, wait: '30s' } as const;
      const sections = [held, released, held].map((name) =>
        two.withLock(name, options, (hold) => Promise.resolve(hold.name)),
      );
      await world.time.until(async () => (await world.probe.queueLength(held)) === 3, 3000);
      for (const hold of holds) await hold.release();
      await expect(world.time.finish(Promise.all(sections), 20_000)).resolves.toEqual([held, released, held]);
    });

    it('have limits of their own', async () => {
      const { locks } = await world.open({ keyPrefix: '' });
      await locks.withLock(held, { limit: 1 }, async () => {
        await expect(locks.withLock(released, { limit: 1, wait: 0 }, async () => 'free')).resolves.toBe('free');
      });
    });

    it('have results of their own', async () => {
      const { locks } = await world.open({ keyPrefix: '' });
      const resultOf = (name: string) => locks.singleFlight(name, { ttl: '5s' }, async () => `of ${name}`);
      await expect(resultOf(held)).resolves.toBe(`of ${held}`);
      await expect(resultOf(released)).resolves.toBe(`of ${released}`);
    });

    it('have waiting writers of their own', async () => {
      const [{ locks: one }, { locks: two }] = [
        await world.open({ keyPrefix: '' }),
        await world.open({ keyPrefix: '' }),
      ];
      const preference = { preference: 'writer' } as const;
      const reading = await one.getReadWriteLock(held, preference).readLock().acquire();
      const writing = two.getReadWriteLock(held, preference).writeLock().acquire({ wait: '20s' });
      await world.time.pass(200);
      await expect(one.getReadWriteLock(released, preference).readLock().tryAcquire()).resolves.not.toBeNull();
      await reading.release();
      await world.time.finish(writing, 10_000);
    });
  });

  describe('D38: a name', () => {
    it.each(['{job}:waiters', '{job}::waiters', '{v}:flight', '{job}:clients'])(
      'is refused if it is that of a key beside a lock: %s',
      async (name) => {
        const { locks } = await world.open({ keyPrefix: '' });
        await expect(locks.acquire(name)).rejects.toThrow(LockNameError);
        expect(() => locks.getSemaphore(name)).toThrow(/is the name of a key beside the lock "/);
        const prefixed = await world.open({ keyPrefix: 'app:' });
        await expect(prefixed.locks.acquire('{job}:waiters')).resolves.toMatchObject({ isHeld: true });
      },
    );
  });
});
