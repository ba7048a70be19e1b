import type { Acquisition } from '../workers/timeline.js';
import { jain, percentile } from './statistics.js';

const NS_PER_MS = 1e6;
const NS_PER_S = 1e9;

/** Figures of the loops of all processes that share one lock. */
export interface ContentionFigures {
  readonly perSecond: number;
  /** Jain's index over all loops, including those without an acquisition. */
  readonly jain: number;
  /** Loops without an acquisition. */
  readonly unserved: number;
  /** Acquisitions of the loop with the fewest, and of the one with the most. */
  readonly fewest: number;
  readonly most: number;
  /** Shares of the processes, in percent. */
  readonly leastShare: number;
  readonly greatestShare: number;
  /** From the beginning of a release to the next grant in any process, ms. */
  readonly handOverP50: number;
  readonly handOverP99: number;
  /** The same for grants in the process that released, ms; NaN without any. */
  readonly handOverInsideP50: number;
  /** From a request to its grant, ms. */
  readonly waitP50: number;
  readonly waitP99: number;
  /** Grants before the previous holder had begun to release, over the whole time. */
  readonly overlaps: number;
  /** Grants that came after a grant to a later request of the same process, over the whole time. */
  readonly outOfOrder: number;
  /** Over all processes, the longest time by which an overtaken request was earlier, ms. */
  readonly worstOvertaking: number;
}

export interface ContentionSetup {
  readonly processes: number;
  readonly loopsEach: number;
  /** Grants count from here … */
  readonly from: number;
  /** … to here, nanoseconds. */
  readonly to: number;
}

/** @param acquisitions Sorted by when they were granted. */
export function contentionFigures(acquisitions: readonly Acquisition[], setup: ContentionSetup): ContentionFigures {
  const { processes, loopsEach, from, to } = setup;
  const counted = acquisitions.filter(({ granted }) => granted >= from && granted < to);
  const byLoop = Array.from({ length: processes * loopsEach }, () => 0);
  const byProcess = Array.from({ length: processes }, () => 0);
  for (const { process, loop } of counted) {
    add(byLoop, process * loopsEach + loop);
    add(byProcess, process);
  }
  const share = (count: number): number => (100 * count) / counted.length;
  const handOvers = delays(counted);
  const waits = counted.map(({ asked, granted }) => granted - asked);
  return {
    perSecond: counted.length / ((to - from) / NS_PER_S),
    jain: jain(byLoop),
    unserved: byLoop.filter((count) => count === 0).length,
    fewest: Math.min(...byLoop),
    most: Math.max(...byLoop),
    leastShare: share(Math.min(...byProcess)),
    greatestShare: share(Math.max(...byProcess)),
    handOverP50: percentile(handOvers, 0.5) / NS_PER_MS,
    handOverP99: percentile(handOvers, 0.99) / NS_PER_MS,
    handOverInsideP50: percentile(delays(counted, inSameProcess), 0.5) / NS_PER_MS,
    waitP50: percentile(waits, 0.5) / NS_PER_MS,
    waitP99: percentile(waits, 0.99) / NS_PER_MS,
    overlaps: delays(acquisitions).filter((delay) => delay < 0).length,
    ...orderOf(acquisitions, processes),
  };
}

function add(counts: number[], at: number): void {
  counts[at] = (counts[at] ?? 0) + 1;
}

const inSameProcess = (one: Acquisition, next: Acquisition): boolean => one.process === next.process;

/** Times from each release to the next grant, of those pairs that count. */
function delays(
  acquisitions: readonly Acquisition[],
  counts: (one: Acquisition, next: Acquisition) => boolean = () => true,
): number[] {
  const found: number[] = [];
  let before: Acquisition | undefined;
  for (const acquisition of acquisitions) {
    if (before !== undefined && counts(before, acquisition)) found.push(acquisition.granted - before.released);
    before = acquisition;
  }
  return found;
}

function orderOf(
  acquisitions: readonly Acquisition[],
  processes: number,
): Pick<ContentionFigures, 'outOfOrder' | 'worstOvertaking'> {
  const latest = Array.from({ length: processes }, () => 0);
  let latestOfAll = 0;
  let outOfOrder = 0;
  let worst = 0;
  for (const { process, asked } of acquisitions) {
    if (asked < (latest[process] ?? 0)) outOfOrder++;
    latest[process] = Math.max(latest[process] ?? 0, asked);
    worst = Math.max(worst, latestOfAll - asked);
    latestOfAll = Math.max(latestOfAll, asked);
  }
  return { outOfOrder, worstOvertaking: worst / NS_PER_MS };
}
