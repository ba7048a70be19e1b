import { LockAbortedError, LockTimeoutError } from '../../lib/errors.js';
import { acquireAll, acquireMajority } from '../../lib/locks/acquire-members.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/monotonic-scheduler.js';
import { WaitLimit } from '../../lib/time/wait-limit.js';

const PARTS = ['a', 'b', 'c'] as const;
type Part = (typeof PARTS)[number];

/** Parts, some of which are free. A released part is free only when the test says so. */
class Parts {
  readonly free = new Set<Part>(PARTS);
  readonly returning: (() => void)[] = [];
  taken: Part[] = [];

  /** Takes a part. If it is not free, waits until the limit ends. */
  readonly take = (part: Part, limit: WaitLimit): Promise<Part> => {
    if (this.free.delete(part)) {
      this.taken.push(part);
      return Promise.resolve(part);
    }
    return new Promise((_resolve, reject) => {
      limit.watch({
        onEnd: ({ cause }) => reject(cause === 'aborted' ? new LockAbortedError(part) : new LockTimeoutError(part)),
      });
    });
  };

  readonly giveBack = (part: Part): Promise<void> =>
    new Promise((resolve) => {
      this.returning.push(() => {
        this.free.add(part);
        resolve();
      });
    });

  /** Makes all released parts free. */
  returned(): void {
    for (const done of this.returning.splice(0)) done();
  }
}

describe('Members acquired together', () => {
  let clock: ManualClock;
  let scheduler: MonotonicScheduler;
  let parts: Parts;
  let abort: AbortController;

  beforeEach(() => {
    clock = new ManualClock();
    scheduler = new MonotonicScheduler(clock, () => {});
    parts = new Parts();
    abort = new AbortController();
  });

  const limitOf = (wait: number): WaitLimit => new WaitLimit(scheduler, wait, [abort.signal]);

  const all = (wait: number, { inCommonOrder = false, complete = async (): Promise<void> => {} } = {}) =>
    acquireAll<Part, Part>(
      {
        members: PARTS,
        inCommonOrder,
        acquire: parts.take,
        undo: parts.giveBack,
        complete,
        aborted: () => new LockAbortedError('all'),
      },
      limitOf(wait),
    );

  const most = (wait: number) =>
    acquireMajority<Part, Part>(
      { members: PARTS, needed: 2, acquire: parts.take, undo: parts.giveBack },
      limitOf(wait),
      scheduler,
    ).then(({ got }) => got.size >= 2);

  /** The current state of the work. */
  const endOf = async (work: Promise<unknown>): Promise<unknown> => {
    let end: unknown = 'waits';
    work.then(
      () => (end = 'had'),
      (error: unknown) => (end = error),
    );
    await clock.advance(0);
    return end;
  };

  it.each([false, true])(
    'D19: are released in the background at the end of the wait, in common order: %s',
    async (inCommonOrder) => {
      parts.free.delete('c');
      const waiting = all(1000, { inCommonOrder });
      waiting.catch(() => {});
      await clock.advance(inCommonOrder ? 999 : 20);
      await expect(endOf(waiting)).resolves.toBe('waits');
      await clock.advance(1001);
      await expect(endOf(waiting)).resolves.toBeInstanceOf(LockTimeoutError);
      expect(parts.returning.length).toBeGreaterThan(0);
    },
  );

  it('D19: are released in the background at an abort, at any step', async () => {
    parts.free.delete('c');
    const waiting = all(Number.POSITIVE_INFINITY);
    waiting.catch(() => {});
    // The time for the third part is over, and the first two are being released.
    await clock.advance(60);
    expect(parts.returning).toHaveLength(2);
    await expect(endOf(waiting)).resolves.toBe('waits');
    abort.abort();
    await expect(endOf(waiting)).resolves.toBeInstanceOf(LockAbortedError);
  });

  it('D19: are released in the background at an abort during the last step', async () => {
    const waiting = all(Number.POSITIVE_INFINITY, { complete: () => new Promise(() => {}) });
    waiting.catch(() => {});
    await expect(endOf(waiting)).resolves.toBe('waits');
    abort.abort();
    await expect(endOf(waiting)).resolves.toBeInstanceOf(LockAbortedError);
    expect(parts.returning).toHaveLength(3);
  });

  it('are released before the next round', async () => {
    parts.free.delete('c');
    const waiting = all(Number.POSITIVE_INFINITY);
    await clock.advance(60);
    expect(parts.taken).toEqual(['a', 'b']);
    parts.free.add('c');
    await clock.advance(100);
    expect(parts.taken).toEqual(['a', 'b']);
    parts.returned();
    await expect(endOf(waiting)).resolves.toBe('had');
    expect(parts.taken).toEqual(['a', 'b', 'c', 'a', 'b']);
  });

  it('D19: without a majority are released in the background at the end of the wait, or at an abort', async () => {
    for (const isAborted of [false, true]) {
      parts = new Parts();
      for (const part of ['b', 'c'] as const) parts.free.delete(part);
      const waiting = most(1000);
      await clock.advance(200);
      expect(parts.returning).toHaveLength(1);
      await expect(endOf(waiting)).resolves.toBe('waits');
      if (isAborted) abort.abort();
      else await clock.advance(801);
      await expect(endOf(waiting)).resolves.toBe('had');
      await expect(waiting).resolves.toBe(false);
    }
  });
});
