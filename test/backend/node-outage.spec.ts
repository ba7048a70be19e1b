import { noListener } from '../../lib/backend/backend-listener.js';
import { NodeExecutor } from '../../lib/backend/commands/node-executor.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { freePort } from '../servers/process/free-port.js';

describe('D31: an outage of a node', () => {
  it('is reported after `missedAfter`, however soon its commands fail', async () => {
    const clock = new ManualClock();
    const scheduler = new MonotonicScheduler(clock, (error) => {
      throw error;
    });
    const port = await freePort();
    const node = new NodeExecutor(`redis://127.0.0.1:${port}`, { commandTimeout: 50, missedAfter: 1000 }, scheduler);
    const told: string[] = [];
    node.watch({ ...noListener, unavailable: ({ server }) => told.push(server) });
    node.open();
    await clock.advance(999);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(told).toEqual([`127.0.0.1:${port}`]);
    await node.close(0);
  });
});
