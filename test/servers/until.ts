import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 30_000;
const PAUSE_MS = 20;

/** Resolves when `condition` holds. What servers among themselves need for that is their affair, so the limit is wide. */
export async function until(condition: () => Promise<boolean>, what: string, limitMs = LIMIT_MS): Promise<void> {
  const limit = performance.now() + limitMs;
  for (;;) {
    const isLast = performance.now() > limit;
    if (await condition()) return;
    if (isLast) throw new Error(`Not within ${limitMs} ms: ${what}`);
    await sleep(PAUSE_MS);
  }
}
