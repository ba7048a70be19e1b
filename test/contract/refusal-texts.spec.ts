import type { LockError } from '../../lib/index.js';
import { onEveryBackend } from '../kit/every-backend.js';

const HEAD = '7c0f3b52-6a0f-8a2b-9a53-0f0b6a3d1c11:1';

onEveryBackend((world) => {
  const refusalOf = async (work: Promise<unknown>): Promise<LockError> => {
    const end = await world.time.finish(
      work.then(
        () => 'granted',
        (error: unknown) => error,
      ),
      3000,
    );
    return end as LockError;
  };

  describe('A refusal', () => {
    it('D26: names the first in the queue of a free fair lock as such, not as the holder', async () => {
      const lock = (await world.open()).locks.getFairLock('n');
      await world.probe.enqueue('n', { owner: HEAD, keptFor: 60_000 });
      const [once, late] = [await refusalOf(lock.acquire({ wait: 0 })), await refusalOf(lock.acquire({ wait: 200 }))];
      const place = 'That place ends in \\d+ ms unless its waiter renews it';
      expect(once.message).toMatch(
        new RegExp(
          `^Lock "n" is reserved for the first in its queue \\(${HEAD}\\)\\. ${place}; only one attempt was allowed`,
        ),
      );
      expect(late.message).toMatch(
        new RegExp(
          `^Lock "n" is still reserved for the first in its queue \\(${HEAD}\\) after 2\\d\\d ms\\. ${place}; wait`,
        ),
      );
      for (const { details } of [once, late]) {
        expect(details).toMatchObject({ next: HEAD });
        expect(details).not.toHaveProperty('holder');
      }
    });

    it('D26: separates the time waited from the remaining lease', async () => {
      const { locks } = await world.open();
      await world.probe.put('n', HEAD, 60_000);
      for (const lock of [locks.getLock('n'), locks.getFairLock('n')]) {
        const { message, details } = await refusalOf(lock.acquire({ wait: 200 }));
        expect(message).toMatch(
          new RegExp(
            `^Lock "n" is still held by ${HEAD} after 2\\d\\d ms\\. Its lease ends in \\d+ ms unless it is renewed; wait`,
          ),
        );
        expect(details).toMatchObject({ holder: HEAD });
      }
    });
  });
});
