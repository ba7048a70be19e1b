import { LIBRARY_FOLDER, stackHere } from '../../validation/own-place.js';

/** To find a place takes some 40 µs of CPU, so that this many in a second do not count. */
const MOST_IN_A_SECOND = 100;

const FRAME = /^\s*at /;

/** Finds the lines of code that call this library: as often as costs little, since few are ever asked for. */
export class CallerPlaces {
  private second = Number.NEGATIVE_INFINITY;
  private inSecond = 0;

  /**
   * The innermost line of the stack that is not of this library, such as `Orders.pay (/app/orders.js:12:30)`; of a bundled
   * library the whole stack. `undefined`: not found, or too many were asked for within a second.
   * @param now Milliseconds.
   */
  find(now: number): string | undefined {
    if (now - this.second >= 1000) [this.second, this.inSecond] = [now, 0];
    this.inSecond += 1;
    return this.inSecond > MOST_IN_A_SECOND ? undefined : callerIn(stackHere());
  }
}

const callerIn = (stack: string): string | undefined => {
  const frames = stack
    .split('\n')
    .filter((line) => FRAME.test(line) && !line.includes('node:internal'))
    .map((line) => line.replace(FRAME, ''));
  const library = LIBRARY_FOLDER;
  return library === undefined ? frames.join(', ') || undefined : frames.find((frame) => !frame.includes(library));
};
