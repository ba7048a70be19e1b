import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 5_000;

/** Resolves as soon as the condition holds. Rejects when that takes too long. */
export const until = async (what: string, condition: () => boolean | Promise<boolean>): Promise<void> => {
  const limit = performance.now() + LIMIT_MS;
  while (!(await condition())) {
    if (performance.now() > limit) throw new Error(`Still not so after ${LIMIT_MS} ms: ${what}`);
    await sleep(2);
  }
};
