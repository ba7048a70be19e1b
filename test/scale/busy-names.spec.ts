import { setTimeout as sleep } from 'node:timers/promises';
import { waitingClients } from '../../lib/keys/redisson-keys.js';
import { sentCommands, settled } from '../faults/observe.js';
import { useServerFixture } from '../faults/server-fixture.js';
import { Worker } from '../servers/worker/worker.js';
import type { api } from './busy-names.worker.js';

const NAMES = 10_000;
const file = new URL('./busy-names.worker.ts', import.meta.url);

describe('Show: a process that holds 10,000 locks and waits for 10,000 busy ones of other names', () => {
  const fixture = useServerFixture();

  /** Resolves when a client waits on the server for every name. */
  const allWaiting = async (): Promise<void> => {
    let left = Array.from({ length: NAMES }, (_, index) => waitingClients(`busy:${index}`));
    for (;;) {
      const pipeline = fixture().admin.pipeline();
      for (const key of left) pipeline.exists(key);
      const replies = await pipeline.exec();
      left = left.filter((_, index) => replies?.[index]?.[1] !== 1);
      if (left.length === 0) return;
      await sleep(20);
    }
  };

  it('D71: waits for all of them at once, by few commands, and without a loss', async () => {
    const { admin, server } = fixture();
    await using holder = await Worker.start<typeof api>(file, { args: [server.url] });
    await using waiter = await Worker.start<typeof api>(file, { args: [server.url] });
    await holder.call('hold', NAMES, 'busy');
    await waiter.call('hold', NAMES, 'own');
    const before = await waiter.call('heap');
    await admin.config('RESETSTAT');
    await waiter.call('watchLoop');
    const run = await settled(async () => {
      await waiter.call('queueUp', NAMES, 'busy');
      await allWaiting();
    });
    const sent = await sentCommands(admin);
    const { loopDelay, processorMs } = await waiter.call('watched');
    const heapEach = ((await waiter.call('heap')) - before) / NAMES;
    const isBusy = processorMs < 0.8 * run.ms;
    process.stdout.write(
      `10,000 busy names: all waiting after ${run.ms.toFixed(0)} ms, ${processorMs.toFixed(0)} ms of them by the ` +
        `process; event loop late by at most ${loopDelay.toFixed(0)} ms; ${heapEach.toFixed(0)} B of heap each; ` +
        `${JSON.stringify(sent)}${isBusy ? '; the machine was busy' : ''}\n`,
    );
    expect(run.error).toBeUndefined();
    expect(sent.subscribe).toBeLessThanOrEqual(NAMES / 10);
    expect(sent.unsubscribe ?? 0).toBe(0);
    // On a busy machine this process waits for other processes, and polls meanwhile.
    expect(isBusy ? 0 : (sent.evalsha ?? 0) / NAMES).toBeLessThanOrEqual(3);
    expect(isBusy ? 0 : run.ms).toBeLessThanOrEqual(2000);
    expect(isBusy ? 0 : loopDelay).toBeLessThanOrEqual(200);
    expect(heapEach).toBeLessThanOrEqual(6000);
    // The safety polls of all names come meanwhile, and renewals of the other holds.
    await sleep(12_000);
    await expect(waiter.call('seen')).resolves.toEqual([]);
    await expect(holder.call('seen')).resolves.toEqual([]);
  }, 120_000);
});
