import { noListener } from '../../lib/backend/backend-listener.js';
import { NodeExecutor } from '../../lib/backend/commands/node-executor.js';
import { Reachability } from '../../lib/backend/connection/reachability.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { freePort } from '../servers/process/free-port.js';
import { serverTarget } from '../../lib/backend/redis-target.js';

describe('D31: an outage of a node', () => {
  it('is reported after `missedAfter`, however soon its commands fail', async () => {
    const clock = new ManualClock();
    const scheduler = new MonotonicScheduler(clock, (error) => {
      throw error;
    });
    const port = await freePort();
    const node = new NodeExecutor(
      serverTarget(`redis://127.0.0.1:${port}`),
      { commandTimeout: 50, missedAfter: 1000 },
      scheduler,
    );
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

describe('D31: a connection that should be up', () => {
  it('is not reported down after its end', async () => {
    const clock = new ManualClock();
    const told: string[] = [];
    const [onLost, onFound] = [() => void told.push('lost'), () => void told.push('found')];
    const reachability = new Reachability(new MonotonicScheduler(clock, () => {}), 1000, { onLost, onFound });
    reachability.missing();
    reachability.end();
    reachability.found();
    reachability.missing();
    await clock.advance(5000);
    expect(told).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
