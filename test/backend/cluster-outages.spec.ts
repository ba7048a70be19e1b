import { ClusterOutages } from '../../lib/backend/cluster/cluster-outages.js';
import { noListener } from '../../lib/backend/backend-listener.js';
import { LockUnavailableError } from '../../lib/errors.js';
import type { Outage } from '../../lib/events/outage.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { NOT_SENT } from './scripted-nodes.js';

const PATIENCE = 1000;
const CLUSTER = 'cluster of a:1, b:1';
const outageOf = (server: string): Outage => ({ server, reason: 'gone', affects: 'all-locks', error: NOT_SENT });

const watched = () => {
  const clock = new ManualClock();
  const told: string[] = [];
  const outages: Outage[] = [];
  const cluster = {
    watcher: {
      ...noListener,
      unavailable: (outage: Outage) => {
        outages.push(outage);
        told.push(`${outage.server} out, ${outage.affects}`);
      },
      available: ({ server, after, isReplaced }: { server: string; after: number; isReplaced: boolean }) =>
        told.push(`${server} ${isReplaced ? 'replaced' : 'back'} after ${after}`),
    },
    isKnown: false,
    lastError: undefined as unknown,
    masters: new Set<string>(),
    serves: (address: string): boolean => cluster.masters.has(address),
  };
  const scheduler = new MonotonicScheduler(clock, (error) => {
    throw error;
  });
  const reported = new ClusterOutages(['a:1', 'b:1'], PATIENCE, scheduler, cluster);
  /** Reports a slot map with these masters. */
  const learn = (...masters: string[]): void => {
    cluster.isKnown = true;
    cluster.masters = new Set(masters);
    reported.slotMapReceived();
  };
  return { clock, told, outages, cluster, outagesOf: reported, learn };
};

describe('An outage of a whole cluster', () => {
  it('is reported once if no server has returned a slot map in time, and ends when one does', async () => {
    const { clock, told, outagesOf, learn } = watched();
    outagesOf.slotMapRequested();
    await clock.advance(PATIENCE - 1);
    outagesOf.slotMapRequested();
    expect(told).toEqual([]);
    await clock.advance(1);
    for (let tries = 0; tries < 4; tries += 1) {
      outagesOf.slotMapRequested();
      await clock.advance(500);
    }
    expect(told).toEqual([`${CLUSTER} out, all-locks`]);
    learn('a:1');
    learn('a:1');
    expect(told).toEqual([`${CLUSTER} out, all-locks`, `${CLUSTER} back after 3000`]);
  });

  it('is not reported if a server returns a slot map in time, or if the map is known', async () => {
    const { clock, told, outagesOf, learn } = watched();
    outagesOf.slotMapRequested();
    await clock.advance(PATIENCE - 1);
    learn('a:1');
    outagesOf.slotMapRequested();
    await clock.advance(10 * PATIENCE);
    expect(told).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it.each([
    { lastError: undefined, why: 'no server has answered yet', permanent: false },
    { lastError: NOT_SENT, why: 'no connection', permanent: false },
    { lastError: new LockUnavailableError('NOPERM', 'refused', true), why: 'NOPERM', permanent: true },
  ])('is reported with the reason: $why', async ({ lastError, why, permanent }) => {
    const { clock, outages, cluster, outagesOf } = watched();
    outagesOf.slotMapRequested();
    // The error at the time of the report counts.
    cluster.lastError = lastError;
    await clock.advance(PATIENCE);
    expect(outages[0]?.reason).toBe(`Redis ${CLUSTER} cannot be reached: ${why}`);
    expect(outages[0]?.error).toMatchObject({ outcome: 'not-sent', permanent });
    expect(outages[0]?.error.cause).toBe(lastError);
  });
});

describe('An outage of a server of a cluster', () => {
  const lost = ({ outagesOf }: ReturnType<typeof watched>, server: string): void =>
    outagesOf.lost(server, outageOf(server), PATIENCE);

  it('is not reported for a server without slots, nor its end', async () => {
    const bench = watched();
    bench.learn('a:1');
    lost(bench, 'b:1');
    bench.outagesOf.recovered('b:1');
    bench.outagesOf.recovered('never lost');
    bench.learn('a:1', 'b:1');
    expect(bench.told).toEqual([]);
  });

  it('is reported for a server that becomes a master later', async () => {
    const bench = watched();
    lost(bench, 'b:1');
    await bench.clock.advance(500);
    expect(bench.told).toEqual([]);
    bench.learn('a:1', 'b:1');
    bench.learn('a:1', 'b:1');
    expect(bench.told).toEqual(['b:1 out, its-slots']);
    bench.outagesOf.recovered('b:1');
    expect(bench.told).toEqual(['b:1 out, its-slots', 'b:1 back after 1500']);
  });
});
