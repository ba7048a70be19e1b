import type { Duration } from '../../lib/time/duration.js';
import type { Client } from '../kit/client.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';
import { onEveryBackend } from '../kit/every-backend.js';

onEveryBackend((world) => {
  const untilListening = async (): Promise<void> => {
    const isListening = async (): Promise<boolean> => (await world.probe.subscribers(lockChannel('n'))) > 0;
    await world.time.until(isListening, 2000);
    await world.time.pass(50);
  };

  /** A waiter that leaves while a release that asks for its lease is in flight, and the one behind it. */
  const secondInPlaceOfFirst = async ({ locks }: Client, first: Duration, second: Duration) => {
    const before = await locks.acquire('n');
    const granted = locks.acquire('n', { wait: '20s' });
    const leaving = new AbortController();
    const left = locks.acquire('n', { lease: first, wait: '20s', signal: leaving.signal }).catch(() => {});
    const waiting = locks.acquire('n', { lease: second, wait: '20s' });
    await untilListening();
    await before.release();
    const hold = await world.time.finish(granted, 2000);
    const released = hold.release();
    leaving.abort();
    await Promise.all([released, left]);
    return waiting;
  };

  describe('A lease', () => {
    it('is as long as its waiter wants, although another waiter of the process was to get the lock', async () => {
      const hold = await secondInPlaceOfFirst(await world.open(), '1s', '20s');
      await world.time.pass(1500);
      hold.assertHeld();
      expect((await world.probe.state('n')).ttl).toBeGreaterThan(15_000);
      await expect(hold.release()).resolves.toBe('released');
    });
  });
});
