import { join } from 'node:path';
import { now, NS_PER_MS } from '../../bench/workers/clock.js';
import type { ContendDone } from '../../bench/workers/tasks.js';
import { readTimelines } from '../../bench/workers/timeline.js';
import { inWorld } from '../kit/every-backend.js';
import { Worker } from '../servers/worker/worker.js';
import type { api } from './contention.worker.js';
import { InteropWorld } from './interop-world.js';
import type { JavaPeer } from './java-peer.js';
import { type ShareRow, writeShares } from './share-results.js';
import { overlapsOf, partsOf, type ProcessPart } from './turns.js';

const PROCESSES = ['Java', 'Node 1', 'Node 2'];
const LOOPS = 4;
const SECTIONS_MS = [0, 1, 5];

/** The time until all processes have begun. */
const LEAD_MS = 100;
const WARM_UP_MS = 400;
const MEASURED_MS = 2000;

/** With equal shares, each process would have a third of the turns. Half of that is enough. */
const LEAST_SHARE = 1 / PROCESSES.length / 2;
/**
 * A process that nothing wakes would pause for longer: until the end of a first lease (3 s), or its next safety poll
 * (5 s).
 */
const LONGEST_PAUSE_MS = 2500;

const LIMIT_MS = 120_000;

const world = new InteropWorld();

const rows: ShareRow[] = [];
afterAll(() => writeShares(rows));

/** Two Node processes and a Java process, all with several loops, want one plain lock again and again. */
inWorld(world, () => {
  const startNode = async (grants: 'on' | 'off'): Promise<Worker<typeof api>> => {
    const file = new URL('./contention.worker.ts', import.meta.url);
    const worker = await Worker.start<typeof api>(file, { args: [world.server.url, grants] });
    world.onReset(() => worker.stop());
    return worker;
  };

  const contend = async (java: JavaPeer, nodes: readonly Worker<typeof api>[], sectionMs: number) => {
    const start = now() + LEAD_MS * NS_PER_MS;
    const from = start + WARM_UP_MS * NS_PER_MS;
    const end = from + MEASURED_MS * NS_PER_MS;
    const files = PROCESSES.map((name) => join(world.server.folder, `${name} ${sectionMs}`));
    const task = (file = '') => ({ key: `n${sectionMs}`, loops: LOOPS, start, end, sectionMs, file });
    const done = await Promise.all([
      java.ask('contention', 'bench.contend', { ...task(files[0]), kind: 'plain' }) as Promise<ContendDone>,
      ...nodes.map((node, index) => node.call('contend', task(files[index + 1]))),
    ]);
    const all = readTimelines(files);
    const measured = all.filter(({ granted }) => granted >= from && granted < end);
    return {
      failures: done.reduce((sum, { failures, stuck }) => sum + failures + stuck, 0),
      overlaps: overlapsOf(all),
      parts: partsOf(measured, PROCESSES.length),
      // The last requests, made before the end, are granted after it.
      longestPause: Math.max(...partsOf(all, PROCESSES.length).map(({ longestPause }) => longestPause)),
    };
  };

  const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
  const report = (title: string, parts: readonly ProcessPart[]): void => {
    const each = parts.map(
      ({ turns, sections, held, longestPause }, process) =>
        `${PROCESSES[process]}: turns ${percent(turns)}, sections ${percent(sections)}, time ${percent(held)}, ` +
        `longest pause ${longestPause.toFixed(0)} ms`,
    );
    process.stdout.write(`${title}\n  ${each.join('\n  ')}\n`);
  };

  it.each([
    { version: '4.7.0', grants: 'on' },
    { version: '4.7.0', grants: 'off' },
    { version: '3.52.0', grants: 'on' },
  ] as const)(
    'Redisson $version and two Node processes with grants $grants exclude each other, and each gets half of an equal share of the turns or more',
    async ({ version, grants }) => {
      const [java, ...nodes] = await Promise.all([world.openJava({ version }), startNode(grants), startNode(grants)]);
      for (const sectionMs of SECTIONS_MS) {
        const { failures, overlaps, parts, longestPause } = await contend(java, nodes, sectionMs);
        report(`Redisson ${version}, grants ${grants}, sections of ${sectionMs} ms`, parts);
        rows.push({ version, grants, sectionMs, parts });
        expect({ failures, overlaps }).toEqual({ failures: 0, overlaps: 0 });
        expect(Math.min(...parts.map(({ turns }) => turns))).toBeGreaterThanOrEqual(LEAST_SHARE);
        expect(longestPause).toBeLessThan(LONGEST_PAUSE_MS);
      }
      const unexpected = await Promise.all(nodes.map((node) => node.call('unexpected')));
      expect(unexpected.flat()).toEqual([]);
      expect(java.log).toBe('');
      expect(await world.lockNames()).toEqual([]);
    },
    LIMIT_MS,
  );
});
