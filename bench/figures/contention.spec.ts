import type { Acquisition } from '../workers/timeline.js';
import { contentionFigures } from './contention.js';

const MS = 1e6;

/** Times in milliseconds. */
const acquisition = (
  process: number,
  loop: number,
  [asked, granted, released]: [number, number, number],
): Acquisition => ({
  ...{ process, loop },
  ...{ asked: asked * MS, granted: granted * MS, released: released * MS },
});

const setup = { processes: 2, loopsEach: 2, from: 10 * MS, to: 1010 * MS };

describe('contentionFigures', () => {
  it('counts what was granted in the measured time, over all loops', () => {
    const figures = contentionFigures(
      [
        acquisition(0, 0, [0, 5, 9]),
        acquisition(0, 0, [9, 10, 12]),
        acquisition(0, 1, [9, 13, 14]),
        acquisition(1, 0, [9, 16, 18]),
        acquisition(1, 0, [18, 1010, 1011]),
      ],
      setup,
    );
    expect(figures).toMatchObject({ perSecond: 3, unserved: 1, jain: 0.75, overlaps: 0, outOfOrder: 0 });
    expect(figures.leastShare).toBeCloseTo(33.3, 1);
    expect(figures.greatestShare).toBeCloseTo(66.7, 1);
    expect(figures.handOverP50).toBe(1);
    expect(figures.handOverP99).toBe(2);
    expect(figures).toMatchObject({ fewest: 0, most: 1, handOverInsideP50: 1, waitP50: 4, waitP99: 7 });
  });

  it('sees two holders at a time, also of different processes', () => {
    const figures = contentionFigures([acquisition(0, 0, [0, 20, 30]), acquisition(1, 0, [0, 29, 40])], setup);
    expect(figures.overlaps).toBe(1);
  });

  it('counts overtaken loops, within a process and over all', () => {
    const figures = contentionFigures(
      [acquisition(0, 0, [5, 20, 21]), acquisition(0, 1, [2, 22, 23]), acquisition(1, 0, [1, 24, 25])],
      setup,
    );
    expect(figures).toMatchObject({ outOfOrder: 1, worstOvertaking: 4 });
  });
});
