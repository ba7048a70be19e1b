import type { RedisClient } from '../../lib/backend/connection/redis-client.js';
import { WriteBatch } from '../../lib/backend/connection/redis-connection.js';

const open = () => {
  const log: string[] = [];
  const stream = { cork: () => void log.push('cork'), uncork: () => void log.push('uncork') };
  return { log, writes: new WriteBatch({ stream } as unknown as RedisClient) };
};

const nextTick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

describe('Commands of one event-loop turn', () => {
  it('are written at once as long as no other is in flight', async () => {
    const { log, writes } = open();
    for (let command = 0; command < 3; command++) {
      writes.begin();
      await nextTick();
      writes.end();
    }
    expect(log).toEqual([]);
  });

  it('are written together from the second on', async () => {
    const { log, writes } = open();
    for (let command = 0; command < 5; command++) writes.begin();
    expect(log).toEqual(['cork']);
    await nextTick();
    expect(log).toEqual(['cork', 'uncork']);
    writes.begin();
    expect(log).toEqual(['cork', 'uncork', 'cork']);
    await nextTick();
  });

  it('D71: are not all held back until the end of a long turn, since the time for their replies runs', async () => {
    const { log, writes } = open();
    for (let command = 0; command < 1000; command++) writes.begin();
    expect(log.filter((call) => call === 'uncork')).toHaveLength(9);
    expect(log.at(-1)).toBe('cork');
    await nextTick();
    expect(log.filter((call) => call === 'uncork')).toHaveLength(10);
  });

  it('are not held back if there is no socket', async () => {
    const writes = new WriteBatch({} as RedisClient);
    writes.begin();
    expect(() => writes.begin()).not.toThrow();
    await nextTick();
  });
});
