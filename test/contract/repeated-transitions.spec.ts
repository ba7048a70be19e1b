import { onEveryBackend } from '../kit/every-backend.js';
import { A1, B7 } from './vectors/vector.js';

/** A transition states the wanted result, so it may be executed twice. Redisson has its unlock latch for this. */
onEveryBackend((world) => {
  describe('A transition that is executed twice', () => {
    it('L10 counts a repeated acquisition once', async () => {
      const { lock } = (await world.open()).runtime.backend;
      for (let time = 1; time <= 2; time++) {
        const reply = await lock.acquire({ name: 'lk', owner: A1, lease: 30_000 });
        expect(reply.outcome).toBe('acquired');
        await expect(world.probe.state('lk')).resolves.toMatchObject({ owners: { [A1]: 1 } });
      }
    });

    it('L10 counts a repeated re-entry or partial release once', async () => {
      const { lock } = (await world.open()).runtime.backend;
      await world.probe.put('lk', A1, 5000);
      for (const count of [2, 2, 3, 3, 1, 1]) {
        const reply = await lock.hold({ name: 'lk', owner: A1, count, lease: 30_000 });
        expect(reply.outcome).toBe('held');
        await expect(world.probe.state('lk')).resolves.toMatchObject({ owners: { [A1]: count } });
      }
    });

    it('L10 never brings back what its owner has lost', async () => {
      const { lock } = (await world.open()).runtime.backend;
      const hold = { name: 'lk', owner: A1, count: 2, lease: 30_000 };
      await expect(lock.hold(hold)).resolves.toEqual({ outcome: 'lost' });
      await world.probe.put('lk', B7, 5000);
      await expect(lock.hold(hold)).resolves.toEqual({ outcome: 'lost' });
      await expect(world.probe.state('lk')).resolves.toMatchObject({ owners: { [B7]: 1 } });
    });

    it('L10 does not take the lock from the next owner after the first final release', async () => {
      const { lock } = (await world.open()).runtime.backend;
      await world.probe.put('lk', A1, 30_000);
      const last = { name: 'lk', owner: A1, lease: 30_000 };
      await expect(lock.release(last)).resolves.toMatchObject({ outcome: 'released' });
      await lock.acquire({ name: 'lk', owner: B7, lease: 30_000 });
      await expect(lock.release(last)).resolves.toEqual({ outcome: 'not-held' });
      await expect(world.probe.state('lk')).resolves.toMatchObject({ owners: { [B7]: 1 } });
    });
  });
});
