import { inWorld } from '../kit/every-backend.js';
import { Worker } from '../servers/worker/worker.js';
import { FairOrder } from './fair-order.js';
import { InteropWorld } from './interop-world.js';
import type { NodeLockKind } from './node-lock.js';
import { watchProgress } from './progress.js';
import type { api } from './sections.worker.js';
import { SectionCounts } from './section-counts.js';

const EACH_SIDE = 4;
const SECTIONS = 20_000;
const LEAST_SHARE = 0.2;
const LIMIT_MS = 600_000;

const KEYS = { lockName: 'n', insideKey: 'inside', counterKey: 'counter', logKey: 'log' };

const world = new InteropWorld();

/** Four Node processes and four threads of a Java process run critical sections on one lock, as many as they can. */
inWorld(world, () => {
  const startNode = async (): Promise<Worker<typeof api>> => {
    const file = new URL('./sections.worker.ts', import.meta.url);
    const worker = await Worker.start<typeof api>(file, { args: [world.server.url] });
    world.onReset(() => worker.stop());
    return worker;
  };

  const readLog = (): Promise<string[]> => world.admin.lrange(KEYS.logKey, 0, -1);

  /** Runs all sections, and resolves with their results. */
  const contend = async (kind: NodeLockKind, restMs: number) => {
    const wanted = { ...KEYS, total: SECTIONS, restMs };
    const each = Array.from({ length: EACH_SIDE }, (_, index) => index + 1);
    const [java, nodes] = await Promise.all([world.openJava(), Promise.all(each.map(startNode))]);
    const stopWatching = watchProgress(`${kind} lock, ${restMs} ms between sections`, SECTIONS, readLog);
    try {
      const done = await Promise.all([
        ...each.map((index) => java.thread(`java-${index}`).sections(kind, { ...wanted, who: `java-${index}` })),
        ...nodes.map((node, index) => node.call('sections', kind, { ...wanted, who: `node-${index + 1}` })),
      ]);
      const unexpected = await Promise.all(nodes.map((node) => node.call('unexpected')));
      return {
        overlaps: done.reduce((sum, { overlaps }) => sum + overlaps, 0),
        sections: done.reduce((sum, { sections }) => sum + sections, 0),
        counted: Number(await world.admin.get(KEYS.counterKey)),
        inside: Number(await world.admin.get(KEYS.insideKey)),
        locked: (await world.admin.exists(KEYS.lockName)) === 1,
        unexpected: unexpected.flat(),
        counts: SectionCounts.of(await readLog()),
      };
    } finally {
      await stopWatching();
    }
  };

  const withoutOverlap = {
    overlaps: 0,
    sections: SECTIONS,
    counted: SECTIONS,
    inside: 0,
    locked: false,
    unexpected: [],
    counts: { total: SECTIONS },
  };

  describe(`${SECTIONS} critical sections of both sides`, () => {
    it(
      'on a plain lock, which each participant wants again at once, never overlap, and each side does a fifth of them or more',
      async () => {
        // A Java waiter needs some thread switches before its next attempt, so a client that releases lets others go
        // first.
        const seen = await contend('plain', 0);
        expect(seen).toMatchObject(withoutOverlap);
        expect(seen.counts.share('node')).toBeGreaterThanOrEqual(LEAST_SHARE);
        expect(seen.counts.share('java')).toBeGreaterThanOrEqual(LEAST_SHARE);
      },
      LIMIT_MS,
    );

    it(
      'on a plain lock, with other work in between, never overlap, and each side does a fifth of them or more',
      async () => {
        const seen = await contend('plain', 4);
        expect(seen).toMatchObject(withoutOverlap);
        expect(seen.counts.share('node')).toBeGreaterThanOrEqual(LEAST_SHARE);
        expect(seen.counts.share('java')).toBeGreaterThanOrEqual(LEAST_SHARE);
      },
      LIMIT_MS,
    );

    it(
      'on a fair lock never overlap, and go to both sides alike, in the order of the queue',
      async () => {
        const order = await FairOrder.watch(world.server.url, KEYS.lockName);
        world.onReset(async () => order.close());
        const seen = await contend('fair', 0);
        expect(seen).toMatchObject(withoutOverlap);
        expect(order.firstOvertaking).toBeUndefined();
        expect(order.overtakings).toBe(0);
        // Each participant needs one more turn to find out that all sections are done.
        expect(order.grants.queued + order.grants.direct).toBe(SECTIONS + 2 * EACH_SIDE);
        expect(seen.counts.share('node')).toBeGreaterThanOrEqual(LEAST_SHARE);
        expect(seen.counts.share('java')).toBeGreaterThanOrEqual(LEAST_SHARE);
      },
      LIMIT_MS,
    );
  });
});
