import { onEveryBackend } from '../kit/every-backend.js';
import { track } from '../kit/time.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';

const LIMIT_MS = 30_000;

/** Rows PB of the behaviour catalogue: waiters and the messages of a release. */
onEveryBackend((world) => {
  const listening = (name: string): Promise<number> => world.probe.subscribers(lockChannel(name));

  describe('Waking up waiters', () => {
    it(
      'PB-01 serves 32 workers on 5 names over one subscription each, and none is left at the end',
      async () => {
        const { locks } = await world.open({ wait: Infinity });
        let done = 0;
        let mostListening = 0;
        const worker = async (_: unknown, number: number): Promise<void> => {
          for (let round = 0; round < 50; round++) {
            const name = `n${(number + round) % 5}`;
            await locks.withLock(name, () => world.time.pause((number * round) % 5));
            done += 1;
            if (round % 10 === 0) mostListening = Math.max(mostListening, await listening(name));
          }
        };
        await world.time.finish(Promise.all(Array.from({ length: 32 }, worker)), LIMIT_MS);
        expect(done).toBe(32 * 50);
        expect(mostListening).toBe(1);
        await world.time.until(async () => (await world.probe.channels()).length === 0, 1000);
      },
      LIMIT_MS,
    );

    it('PB-02 serves two waiters on each of two names with a short wait, round after round', async () => {
      const { locks } = await world.open();
      const wait = 100 + world.time.slack;
      for (let round = 0; round < 2; round++) {
        const visits = ['n1', 'n2', 'n1', 'n2'].map((name) => locks.withLock(name, { wait }, () => name));
        await expect(world.time.finish(Promise.all(visits), LIMIT_MS)).resolves.toHaveLength(4);
      }
    });

    it('PB-08 reaches a waiter of another client at once, whatever the lease of the released hold', async () => {
      const [a, b] = [await world.open(), await world.open()];
      const hold = await a.locks.acquire('n', { lease: '60s' });
      const waiting = b.locks.acquire('n', { wait: Infinity });
      const progress = track(waiting);
      await world.time.until(async () => (await listening('n')) === 1, 1000);
      await world.time.pass(100);
      expect(progress.settled).toBe(false);
      await hold.release();
      await world.time.finish(waiting, 100 + world.time.slack);
    });

    it('PB-10 takes one subscription for 100 waiters of one client, and none after the last', async () => {
      const { locks } = await world.open();
      const hold = await locks.acquire('n');
      const visit = () => locks.withLock('n', { wait: Infinity }, async () => expect(await listening('n')).toBe(1));
      const visits = Array.from({ length: 99 }, visit);
      await world.time.until(async () => (await listening('n')) === 1, 1000);
      const last = locks.acquire('n', { wait: Infinity });
      await hold.release();
      await world.time.finish(Promise.all([...visits, last]), LIMIT_MS);
      await world.time.until(async () => (await listening('n')) === 0, 1000);
    });

    it('PB-11 costs a few commands for each client that waits, not one for each waiter', async () => {
      const clients = [await world.open(), await world.open(), await world.open()];
      const giveUp = new AbortController();
      const hold = await clients[0]?.locks.acquire('n');
      let obtained = 0;
      const waiting = clients.flatMap(({ locks }) =>
        Array.from({ length: 100 }, async () => {
          await locks.acquire('n', { wait: Infinity, signal: giveUp.signal });
          obtained += 1;
        }),
      );
      const outcomes = Promise.allSettled(waiting);
      await world.time.until(async () => (await listening('n')) === 3, 2000);
      await world.time.pass(50);
      const asked = await world.probe.commands();
      await hold?.release();
      await world.time.until(() => obtained === 1, 1000);
      await world.time.pass(50);
      expect((await world.probe.commands()) - asked).toBeLessThanOrEqual(1 + 3 * 3);
      giveUp.abort();
      await outcomes;
    });
  });
});
