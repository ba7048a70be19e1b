import type { Profiler } from 'node:inspector';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import {
  type InspectorSession,
  MainThreadProfile,
  mostSampled,
} from '../../lib/watchdog/worker/main-thread-profile.js';
import { SharedStack } from '../../lib/watchdog/worker/shared-stack.js';
import { sharedNow } from '../../lib/watchdog/worker/shared-times.js';

type Frame = readonly [name: string, url: string, line?: number, column?: number];

const ROOT: Frame = ['(root)', ''];
const MAIN: Frame = ['main', 'file:///app/main.js', 2, 4];
const WORK: Frame = ['work', 'file:///app/x.js', 11, 2];
const OTHER: Frame = ['other', 'file:///app/y.js', 0, 0];
const READ: Frame = ['readSync', 'node:fs', 700, 17];
const PARSE: Frame = ['parse', ''];

/** A profile of these stacks, outermost function first, each with the number of times that it was seen. */
const profileOf = (...stacks: readonly (readonly [times: number, ...stack: Frame[]])[]): Profiler.Profile => {
  const nodes: Profiler.ProfileNode[] = [];
  const nodeOf = ([functionName, url, lineNumber = -1, columnNumber = -1]: Frame): Profiler.ProfileNode => {
    const callFrame = { functionName, scriptId: '1', url, lineNumber, columnNumber };
    const node = { id: nodes.length + 1, callFrame, hitCount: 0, children: [] };
    nodes.push(node);
    return node;
  };
  const root = nodeOf(ROOT);
  for (const [times, ...stack] of stacks) {
    let innermost = root;
    for (const called of stack) {
      const node = nodeOf(called);
      innermost.children?.push(node.id);
      innermost = node;
    }
    innermost.hitCount = times;
  }
  return { nodes, startTime: 0, endTime: 1 };
};

describe('The stack that was seen most often in a profile', () => {
  it.each<[what: string, profile: Profiler.Profile, stack: readonly string[]]>([
    [
      'has the innermost function first, each with the place where it begins',
      profileOf([1, OTHER], [3, MAIN, WORK], [2, MAIN]),
      ['work (/app/x.js:12:3)', 'main (/app/main.js:3:5)'],
    ],
    [
      'leaves out what is of V8 or of Node, and counts it for its caller',
      profileOf([2, MAIN, WORK, READ], [2, MAIN, WORK, PARSE], [3, MAIN, OTHER], [9, ['(program)', '']]),
      ['work (/app/x.js:12:3)', 'main (/app/main.js:3:5)'],
    ],
    [
      'has each function of a recursion once',
      profileOf([2, MAIN, WORK, WORK], [2, MAIN, WORK, WORK, WORK], [3, OTHER]),
      ['work (/app/x.js:12:3)', 'main (/app/main.js:3:5)'],
    ],
    [
      'has a function without a name as its place',
      profileOf([1, ['', 'file:///app/a%20b.mjs', 4, 8]]),
      ['/app/a b.mjs:5:9'],
    ],
    [
      'has names that are no files as they are, on one line',
      profileOf([1, ['a\nb', 'wasm://wasm/1f', 0, 6]]),
      ['a b (wasm://wasm/1f:1:7)'],
    ],
    ['is empty if no code of the application ran', profileOf([5, READ], [5, ['(idle)', '']], [0, WORK]), []],
  ])('%s', (_what, profile, stack) => {
    expect(mostSampled(profile)).toEqual(stack);
  });
});

/** The main thread, and the sessions that the worker opens to look into it. */
class Threads {
  readonly clock = new ManualClock();
  readonly stack = new SharedStack();
  /** What was asked in each session, until it was closed. */
  readonly sessions: string[][] = [];
  beat = 1;
  /** Whether the main thread runs JavaScript, so that it answers. */
  answers = true;
  /** What the opening of a session throws. */
  refusal: Error | undefined;
  private readonly scheduler = new MonotonicScheduler(this.clock, (error) => {
    throw error;
  });
  readonly profile = new MainThreadProfile(
    this.scheduler,
    () => this.beat,
    this.stack,
    () => this.session(),
  );

  /** The worker finds the main thread standing, and `ms` pass. */
  async standFor(ms: number): Promise<void> {
    const taking = this.profile.take();
    await this.clock.advance(ms);
    if (ms >= 1000) await taking;
  }

  private session(): InspectorSession {
    const asked: string[] = [];
    let close: ((error: Error) => void) | undefined;
    let isClosed = false;
    return {
      connectToMainThread: () => {
        if (this.refusal) throw this.refusal;
        this.sessions.push(asked);
      },
      post: (method, callback) => {
        if (isClosed) throw new Error('Session is not connected');
        asked.push(method);
        close = callback;
        const result = method === 'Profiler.stop' ? { profile: profileOf([3, MAIN, WORK]) } : {};
        if (this.answers) queueMicrotask(() => callback(null, result));
      },
      disconnect: () => {
        if (isClosed) return;
        isClosed = true;
        asked.push('closed');
        if (!this.answers) close?.(new Error('Session was closed'));
      },
    };
  }
}

const WHOLE = ['Profiler.enable', 'Profiler.start', 'Profiler.stop', 'closed'];
const FOUND = ['work (/app/x.js:12:3)', 'main (/app/main.js:3:5)'];

describe('The worker that finds the main thread standing', () => {
  it('finds the code by a short profile', async () => {
    const threads = new Threads();
    const before = sharedNow();
    await threads.standFor(99);
    expect(threads.sessions).toEqual([['Profiler.enable', 'Profiler.start']]);
    await threads.clock.advance(1);
    expect(threads.sessions).toEqual([WHOLE]);
    expect(threads.stack.foundSince(before - 1)).toEqual(FOUND);
    expect(threads.clock.pending).toBe(0);
  });

  it('finds it once for each time that it stands', async () => {
    const threads = new Threads();
    await threads.standFor(1000);
    await threads.standFor(1000);
    expect(threads.sessions).toHaveLength(1);
    threads.beat = 2;
    await threads.standFor(1000);
    expect(threads.sessions).toEqual([WHOLE, WHOLE]);
  });

  it('has one session at a time', async () => {
    const threads = new Threads();
    await threads.standFor(50);
    threads.beat = 2;
    await threads.standFor(1000);
    expect(threads.sessions).toHaveLength(1);
  });

  it('blames no code that ran after the block', async () => {
    const threads = new Threads();
    await threads.standFor(50);
    threads.beat = 2;
    await threads.clock.advance(50);
    expect(threads.sessions).toEqual([['Profiler.enable', 'Profiler.start', 'closed']]);
    expect(threads.stack.foundSince(0)).toBeUndefined();
  });

  it('closes the session if nobody answers for a second, and tries again when it finds the thread still standing', async () => {
    const threads = new Threads();
    threads.answers = false;
    await threads.standFor(999);
    expect(threads.sessions).toEqual([['Profiler.enable']]);
    await threads.clock.advance(1);
    expect(threads.sessions).toEqual([['Profiler.enable', 'closed']]);
    expect(threads.stack.foundSince(0)).toBeUndefined();
    threads.answers = true;
    await threads.standFor(1000);
    expect(threads.stack.foundSince(0)).toEqual(FOUND);
  });

  it('goes on where no session may be opened', async () => {
    const threads = new Threads();
    threads.refusal = new Error('Access to this API has been restricted');
    await threads.standFor(1000);
    expect(threads.stack.foundSince(0)).toBeUndefined();
    expect(threads.clock.pending).toBe(0);
  });
});

describe('The memory of the code in which the main thread stood', () => {
  it('has it for the time in which it was found, in both threads', () => {
    const worker = new SharedStack();
    const main = new SharedStack(worker.memory);
    expect(main.foundSince(0)).toBeUndefined();
    worker.write(['work (/app/ä.js:1:2)', 'main (/app/main.js:3:5)'], 5000);
    expect(main.foundSince(5000)).toEqual(['work (/app/ä.js:1:2)', 'main (/app/main.js:3:5)']);
    expect(main.foundSince(5001)).toBeUndefined();
    worker.write(['other (/app/y.js:1:1)'], 9000);
    expect(main.foundSince(5001)).toEqual(['other (/app/y.js:1:1)']);
  });

  it('has the ten innermost functions, each cut where it is too long', () => {
    const stack = new SharedStack();
    stack.write(
      Array.from({ length: 12 }, (_, index) => `${index}${'語'.repeat(400)}`),
      1,
    );
    const found = stack.foundSince(0);
    expect(found).toHaveLength(10);
    expect(found?.[9]).toBe(`9${'語'.repeat(299)}`);
  });
});
