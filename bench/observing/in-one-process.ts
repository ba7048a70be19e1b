import { type Spread, median, spreadOf } from '../figures/statistics.js';
import { markdownTable } from '../report/table.js';
import type { Slice, SlicesDone } from './slices.js';

/** A build, compared with the one that cannot be observed by several processes. */
export interface Comparison {
  readonly scenario: string;
  readonly backend: string;
  readonly build: string;
  /** Each of them had both builds. */
  readonly processes: readonly SlicesDone[];
}

/** What a build costs beyond the other: medians of the slices of each process, then over all processes. */
export interface Cost {
  /** Processor time of a pair of the build before, µs. */
  readonly before: number;
  readonly ratio: Spread;
  /** Nanoseconds of processor time that a pair takes longer. */
  readonly more: Spread;
}

const NS_PER_US = 1000;

const ratioOf = ({ before, now }: SlicesDone): number =>
  median(now.map(({ cpu }, index) => cpu / cpuAt(before, index)));

const moreOf = ({ before, now }: SlicesDone): number =>
  median(now.map(({ cpu }, index) => (cpu - cpuAt(before, index)) * NS_PER_US));

const cpuAt = (slices: readonly Slice[], index: number): number => slices[index]?.cpu ?? Number.NaN;

export function costOf(processes: readonly SlicesDone[]): Cost | undefined {
  const [ratio, more] = [spreadOf(processes.map(ratioOf)), spreadOf(processes.map(moreOf))];
  const before = median(processes.map((each) => median(each.before.map(({ cpu }) => cpu))));
  return ratio && more && { before, ratio, more };
}

export const comparisonTable = (comparisons: readonly Comparison[]): string =>
  markdownTable(
    ['scenario', 'backend', 'build', 'before, µs', 'ratio', 'min..max', 'more, ns', 'min..max'],
    comparisons.map(({ scenario, backend, build, processes }) => {
      const cost = costOf(processes);
      return [scenario, backend, build, ...(cost ? cells(cost) : ['–', '–', '–', '–', '–'])];
    }),
  );

const cells = ({ before, ratio, more }: Cost): string[] => [
  before.toFixed(1),
  ratio.median.toFixed(3),
  `${ratio.min.toFixed(3)}..${ratio.max.toFixed(3)}`,
  more.median.toFixed(0),
  `${more.min.toFixed(0)}..${more.max.toFixed(0)}`,
];
