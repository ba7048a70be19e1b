import type { Acquisition } from '../../bench/workers/timeline.js';

const NS_PER_MS = 1e6;

/** The part of one process in the use of a lock. */
export interface ProcessPart {
  /** Share of the turns, 0 … 1. A turn is a run of acquisitions without one by another process in between. */
  readonly turns: number;
  /** Share of the acquisitions, 0 … 1. */
  readonly sections: number;
  /** Share of the time for which the lock was held, 0 … 1. */
  readonly held: number;
  /** The longest time between two of its acquisitions, ms. */
  readonly longestPause: number;
}

/** The parts of the processes, in their order. @param acquisitions Of one lock, sorted by when they were granted. */
export function partsOf(acquisitions: readonly Acquisition[], processes: number): readonly ProcessPart[] {
  const starts = acquisitions.filter(({ process }, index) => acquisitions[index - 1]?.process !== process);
  const total = { turns: starts.length, sections: acquisitions.length, held: heldBy(acquisitions) };
  return Array.from({ length: processes }, (_, process) => {
    const own = acquisitions.filter((acquisition) => acquisition.process === process);
    return {
      turns: starts.filter((acquisition) => acquisition.process === process).length / total.turns,
      sections: own.length / total.sections,
      held: heldBy(own) / total.held,
      longestPause: longestPause(own),
    };
  });
}

/** The number of acquisitions that were granted before the previous holder began to release. */
export const overlapsOf = (acquisitions: readonly Acquisition[]): number =>
  acquisitions.filter(({ granted }, index) => granted < (acquisitions[index - 1]?.released ?? 0)).length;

const heldBy = (acquisitions: readonly Acquisition[]): number =>
  acquisitions.reduce((sum, { granted, released }) => sum + released - granted, 0);

function longestPause(acquisitions: readonly Acquisition[]): number {
  const pauses = acquisitions.map(({ granted }, index) => granted - (acquisitions[index - 1]?.granted ?? granted));
  return pauses.reduce((longest, pause) => Math.max(longest, pause), 0) / NS_PER_MS;
}
