import { once } from 'node:events';
import { LockLostError } from '../../lib/standalone.js';
import { onEveryBackend } from '../kit/every-backend.js';

/** One period of a watchdog of 600 ms. A loss is noticed within it. */
const PERIOD = 200;

/** Rows LL of the behaviour catalogue. They demand no unhandled rejections, and jest fails a test with one. */
onEveryBackend((world) => {
  const open = () => world.open({ renewedLease: 3 * PERIOD });

  describe('A hold that is lost', () => {
    it('LL-01 aborts its signal once if another owner has the lock, with the reason', async () => {
      const { locks, events } = await open();
      const hold = await locks.acquire('n');
      const heldWhenTold: boolean[] = [];
      hold.signal.addEventListener('abort', () => {
        heldWhenTold.push(isHeld(() => hold.assertHeld()));
      });
      await world.probe.put('n', 'somebody:1', 60_000);
      await world.time.until(() => hold.signal.aborted, PERIOD + world.time.slack);
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
      expect(() => hold.assertHeld()).toThrow(LockLostError);
      await world.time.pass(2 * PERIOD);
      expect(heldWhenTold).toEqual([false]);
      expect(events.filter(({ type }) => type === 'lost')).toHaveLength(1);
      await expect(hold.release()).resolves.toBe('expired');
      await expect(world.probe.state('n')).resolves.toMatchObject({ owners: { 'somebody:1': 1 } });
    });

    it('LL-02 aborts its signal if the key was deleted', async () => {
      const { locks } = await open();
      const hold = await locks.acquire('n');
      await world.probe.remove('n');
      await world.time.until(() => hold.signal.aborted, PERIOD + world.time.slack);
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
    });

    it('LL-02 aborts its signal before the lease can end on the server', async () => {
      const { locks } = await open();
      const sent = world.time.now();
      const hold = await locks.acquire('n', { lease: 500 });
      await world.time.until(() => hold.signal.aborted, 500 + world.time.slack);
      expect(world.time.now() - sent).toBeGreaterThanOrEqual(450);
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
    });

    it('LL-03 is an event, not an unhandled rejection, without a listener', async () => {
      const { locks, events } = await open();
      const { owner } = await locks.acquire('n');
      await world.probe.remove('n');
      await world.time.until(() => events.length > 0, PERIOD + world.time.slack);
      expect(events).toEqual([expect.objectContaining({ type: 'lost', lockName: 'n', owner })]);
    });

    it('LL-04 is not reported for a released hold, not even later', async () => {
      const { locks, events } = await open();
      const holds = [await locks.acquire('n1'), await locks.acquire('n2', { lease: 500 })];
      const signals = holds.map(({ signal }) => signal);
      await Promise.all(holds.map((hold) => hold.release()));
      await world.time.pass(3 * PERIOD);
      expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
      expect(events).toEqual([]);
    });

    it('LL-05 is reported at once by each check after the loss', async () => {
      const { locks, events } = await open();
      const hold = await locks.acquire('n');
      await world.probe.remove('n');
      await world.time.until(() => events.length > 0, PERIOD + world.time.slack);
      expect(hold.signal.aborted).toBe(true);
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
    });

    it('LL-06 may be released while its loss is being watched for', async () => {
      const { locks } = await open();
      const hold = await locks.acquire('n');
      const { signal } = hold;
      let told = false;
      signal.addEventListener('abort', () => {
        told = true;
      });
      await expect(hold.release()).resolves.toBe('released');
      expect(told).toBe(false);
    });
  });

  describe('Work under a lock', () => {
    it('LL-07 gives its value and leaves the lock free', async () => {
      const { locks } = await open();
      await expect(locks.withLock('n', () => 'value')).resolves.toBe('value');
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('LL-07 gives its own error and leaves the lock free', async () => {
      const { locks } = await open();
      const error = new Error('broken');
      const fail = (): never => {
        throw error;
      };
      await expect(locks.withLock('n', fail)).rejects.toBe(error);
      await expect(locks.withLock('n', async () => fail())).rejects.toBe(error);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('LL-08 sees the loss by its signal, and is still awaited', async () => {
      const { locks } = await open();
      const steps: string[] = [];
      const run = locks.withLock('n', async ({ signal }) => {
        await world.probe.remove('n');
        await once(signal, 'abort');
        steps.push(String(signal.reason.code));
        await world.time.pause(50);
        steps.push('body ended');
        return 'value';
      });
      const observed = run.then((value) => steps.push(value));
      await world.time.finish(observed, PERIOD + 50 + world.time.slack);
      expect(steps).toEqual(['LOCK_LOST', 'body ended', 'value']);
    });
  });

  describe('Extending a hold', () => {
    it('LL-09 is refused after its end, and changes nothing', async () => {
      const { locks } = await open();
      const hold = await locks.acquire('n', { lease: 400 });
      await world.time.until(async () => (await world.probe.names()).length === 0, 400 + world.time.slack);
      await expect(hold.extend('10s')).rejects.toThrow(LockLostError);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('LL-09 is refused if another owner has the lock, and changes nothing', async () => {
      const { locks } = await open();
      const hold = await locks.acquire('n', { lease: '10s' });
      await world.probe.put('n', 'somebody:1', 5000);
      await expect(hold.extend('20s')).rejects.toThrow(LockLostError);
      const { owners, ttl } = await world.probe.state('n');
      expect(owners).toEqual({ 'somebody:1': 1 });
      expect(ttl).toBeLessThanOrEqual(5000);
    });

    it('LL-09 lengthens the lease, and never shortens it', async () => {
      const { locks } = await open();
      const hold = await locks.acquire('n', { lease: '10s' });
      await hold.extend('20s');
      const lengthened = (await world.probe.state('n')).ttl;
      expect(lengthened).toBeGreaterThan(20_000 - world.time.slack);
      await hold.extend('5s');
      expect((await world.probe.state('n')).ttl).toBeGreaterThan(20_000 - 2 * world.time.slack);
      await expect(hold.release()).resolves.toBe('released');
      await expect(hold.extend('5s')).rejects.toThrow(LockLostError);
    });
  });
});

const isHeld = (assertHeld: () => void): boolean => {
  try {
    assertHeld();
    return true;
  } catch {
    return false;
  }
};
