import { Reachability } from '../../lib/backend/connection/reachability.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';

const thrown = (error: unknown): never => {
  throw error;
};

describe('D31: a connection that should be up', () => {
  const open = () => {
    const clock = new ManualClock();
    const told: string[] = [];
    const reachability = new Reachability(new MonotonicScheduler(clock, thrown), 1000, {
      onLost: () => told.push('lost'),
      onFound: (after) => told.push(`found after ${after}`),
    });
    return { clock, told, reachability };
  };

  it('is reported down once, and up once', async () => {
    const { clock, told, reachability } = open();
    reachability.missing();
    for (let tries = 0; tries < 14; tries++) {
      await clock.advance(1000);
      reachability.missing();
    }
    reachability.found();
    reachability.found();
    expect(told).toEqual(['lost', 'found after 14000']);
  });

  it('is not reported down if it is back in time', async () => {
    const { clock, told, reachability } = open();
    reachability.missing();
    await clock.advance(999);
    reachability.found();
    await clock.advance(5000);
    expect(told).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('is reported again in the next outage', async () => {
    const { clock, told, reachability } = open();
    for (let outage = 0; outage < 2; outage++) {
      reachability.missing();
      await clock.advance(1500);
      reachability.found();
    }
    expect(told).toEqual(['lost', 'found after 1500', 'lost', 'found after 1500']);
  });

  it('is not reported down after its end', async () => {
    const { clock, told, reachability } = open();
    reachability.missing();
    reachability.end();
    reachability.missing();
    await clock.advance(5000);
    reachability.found();
    expect(told).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
