import { fail } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';

/** The longest time for one case, ms. */
const LIMIT_MS = 10_000;
const PAUSE_MS = 2;

/** The time limit of one case, which names what the case was waiting for. */
export class TimeLimit {
  private readonly over = new AbortController();
  private awaited = 'an answer';

  /** @throws AssertionError if the work takes longer. */
  async around(work: Promise<void>): Promise<void> {
    const { over } = this;
    const late = sleep(LIMIT_MS, undefined, over).then(() => fail(`Not within ${LIMIT_MS} ms: ${this.awaited}`));
    try {
      await Promise.race([work, late]);
    } finally {
      over.abort();
    }
  }

  /** @throws AbortError when the time is over. */
  async until(condition: () => boolean | Promise<boolean>, what = String(condition)): Promise<void> {
    this.awaited = what;
    // After the end of a case nobody is told of this error: it only ends what is left of the case.
    while (!(await condition())) await sleep(PAUSE_MS, undefined, this.over);
    this.awaited = 'an answer';
  }
}
