import { ServedTime } from './served-time.js';

/**
 * Runs a claim that holds only for a process that runs all the time, as claims about 20 ms of real time do. Tries again
 * if it fails although this process could not run for longer than `most` ms; any other failure counts.
 */
export const unlessStalled = async (most: number, claim: () => Promise<void>): Promise<void> => {
  for (;;) {
    const time = new ServedTime();
    try {
      return await claim();
    } catch (error) {
      if (time.longestStall <= most) throw error;
    } finally {
      time.stop();
    }
  }
};
