import { Quorum } from '../../lib/backend/quorum/quorum.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { ScriptedNode } from './scripted-nodes.js';

describe('The nodes of a RedLock that closes', () => {
  it('have the time that is left for that', async () => {
    const clock = new ManualClock();
    const scheduler = new MonotonicScheduler(clock, (error) => {
      throw error;
    });
    const given: number[] = [];
    const nodes = ['a', 'b', 'c'].map((label) => {
      const close = async (ms: number): Promise<void> => void given.push(ms);
      return [label, Object.assign(new ScriptedNode(label, scheduler), { close })] as const;
    });
    await new Quorum(new Map(nodes), 2, scheduler).close(1000);
    expect(given).toEqual([1000, 1000, 1000]);
  });
});
