import { WriteBatch } from '../../lib/backend/connection/write-batch.js';

const open = () => {
  const log: string[] = [];
  const connection = { cork: () => void log.push('cork'), uncork: () => void log.push('uncork') };
  const writes = new WriteBatch();
  return { log, writes, begin: () => writes.begin(connection) };
};

const nextTick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

describe('Commands of one event-loop turn', () => {
  it('are written at once as long as no other is in flight', async () => {
    const { log, writes, begin } = open();
    for (let command = 0; command < 3; command++) {
      begin();
      await nextTick();
      writes.end();
    }
    expect(log).toEqual([]);
  });

  it('are written together from the second on', async () => {
    const { log, begin } = open();
    for (let command = 0; command < 5; command++) begin();
    expect(log).toEqual(['cork']);
    await nextTick();
    expect(log).toEqual(['cork', 'uncork']);
    begin();
    expect(log).toEqual(['cork', 'uncork', 'cork']);
    await nextTick();
  });

  it('D71: are not all held back until the end of a long turn, since the time for their replies runs', async () => {
    const { log, begin } = open();
    for (let command = 0; command < 1000; command++) begin();
    expect(log.filter((call) => call === 'uncork')).toHaveLength(9);
    expect(log.at(-1)).toBe('cork');
    await nextTick();
    expect(log.filter((call) => call === 'uncork')).toHaveLength(10);
  });

  it('are not held back if there is no socket', async () => {
    const writes = new WriteBatch();
    writes.begin(undefined);
    expect(() => writes.begin(undefined)).not.toThrow();
    await nextTick();
  });
});
