import { setTimeout as sleep } from 'node:timers/promises';
import { ServedTime } from './served-time.js';

const LIMIT_MS = 10_000;
const PAUSE_MS = 2;

/**
 * Resolves as soon as `condition` holds. Fails if a check begins later than `limitMs` of {@link ServedTime} from now
 * and the condition does not hold. A check that begins in time may end late.
 */
export const until = async (
  condition: () => boolean | Promise<boolean>,
  limitMs = LIMIT_MS,
  what = String(condition),
): Promise<void> => {
  const time = new ServedTime();
  try {
    for (;;) {
      const isLast = time.elapsed > limitMs;
      if (await condition()) return;
      if (isLast) throw new Error(`Not within ${limitMs} ms: ${what}`);
      await sleep(PAUSE_MS);
    }
  } finally {
    time.stop();
  }
};
