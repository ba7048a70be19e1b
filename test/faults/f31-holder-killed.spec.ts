import { Worker } from '../servers/worker/worker.js';
import type { api } from './fixtures/locker.worker.js';
import { expectWithin, settled } from './observe.js';
import { LEASE, useServerFixture } from './server-fixture.js';

describe('F31, Show: the process of the holder is killed', () => {
  const fixture = useServerFixture();

  const startWorker = async () => {
    const worker = await Worker.start<typeof api>(new URL('./fixtures/locker.worker.ts', import.meta.url), {
      args: [fixture().server.url],
    });
    fixture().after(async () => void (await worker.stop()));
    return worker;
  };

  it.each([
    ['kept by its watchdog', {}],
    ['for a lease', { lease: LEASE }],
  ])('with a hold %s: a waiter in another process has the lock within the lease + 500 ms', async (_, options) => {
    const [holder, waiter] = await Promise.all([startWorker(), startWorker()]);
    await holder.call('acquire', 'f31', options);
    const waiting = waiter.call('acquire', 'f31', { wait: '30s' });
    await fixture().listening('f31');
    holder.kill('SIGKILL');
    const granted = await settled(() => waiting);
    expectWithin(granted, LEASE + 500);
    await expect(holder.exited).resolves.toEqual({ code: null, signal: 'SIGKILL' });
    await expect(waiter.call('release', 'f31')).resolves.toBe('released');
  });
});
