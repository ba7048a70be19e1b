import { LockShutdownError, LockKeyTypeError } from '../../lib/errors.js';
import { noReply, type SentAttempt } from './scripted-attempts.js';
import { AcquirerBench } from './wait-queue-bench.js';

describe('D72: The callers of one process that wait for one name, after a grant that leaves something for them', () => {
  /** Callers `a` (the first attempt) to `e`. */
  const CALLERS = ['a', 'b', 'c', 'd', 'e'] as const;

  /** The attempts that are in flight, in the order in which they were made. */
  const inFlight = async (bench: AcquirerBench): Promise<readonly SentAttempt[]> => {
    await bench.clock.advance(0);
    return bench.attempts.unanswered.splice(0);
  };

  interface Setup {
    readonly left?: number;
    readonly wishes?: readonly number[];
    readonly signals?: Readonly<Record<string, AbortSignal>>;
    readonly waits?: Readonly<Record<string, number>>;
  }

  /** Lets all callers ask, and grants to the first one. Returns the attempts that follow. */
  const afterFirstGrant = async ({ left = 100, wishes = [], signals = {}, waits = {} }: Setup) => {
    const bench = new AcquirerBench();
    const { attempts } = bench;
    Object.assign(attempts, { afterGrant: undefined, left });
    attempts.mayStillSucceed = (wanted, { available = 0 }) => wanted <= available;
    // A confirmed subscription would cause another attempt.
    bench.pubSub.answer = () => new Promise(() => {});
    for (const [index, who] of CALLERS.entries()) {
      const { [who]: signal } = signals;
      const { [who]: wait } = waits;
      bench.acquire(who, { wanted: wishes[index] ?? 1, ...(signal && { signal }), ...(wait && { wait }) });
    }
    const [first] = await inFlight(bench);
    first?.grant(1);
    return { bench, sent: await inFlight(bench) };
  };

  const numbered = (count: number, from = 2): readonly number[] => Array.from({ length: count }, (_, n) => n + from);

  it('are all asked for at once, and are granted in the order of their arrival', async () => {
    const { bench, sent } = await afterFirstGrant({});
    expect(sent).toHaveLength(4);
    for (const [index, attempt] of sent.entries()) attempt.grant(index + 2);
    await bench.clock.advance(0);
    expect(bench.ends).toEqual(CALLERS.map((who, index) => `${who}: granted ${index + 1}`));
    expect(bench.attempts.undone).toEqual([]);
    expect(bench.isClean).toBe(true);
  });

  it.each([
    { left: 0, wishes: [], sent: [1] },
    { left: 1, wishes: [], sent: [1] },
    { left: 2, wishes: [], sent: [1, 1] },
    { left: 3, wishes: [1, 2, 2, 1], sent: [2] },
    // One that wants more than is left is not overtaken by those behind it.
    { left: 3, wishes: [1, 1, 5, 1], sent: [1] },
    { left: 3, wishes: [1, 5, 1, 1], sent: [5] },
  ])('are asked for only as far as $left suffices for $wishes: $sent', async ({ left, wishes, sent }) => {
    const { sent: attempts } = await afterFirstGrant({ left, wishes });
    expect(attempts.map(({ wanted }) => wanted)).toEqual(sent);
  });

  it.each([
    { title: 'after the first refusal', answer: (attempt: SentAttempt) => attempt.busy() },
    { title: 'after an answer that is missing', answer: (attempt: SentAttempt) => attempt.fail(noReply()) },
  ])('are asked for one by one $title', async ({ answer }) => {
    const { bench, sent } = await afterFirstGrant({});
    for (const [index, attempt] of sent.entries()) {
      if (index < 2) attempt.grant(index + 2);
      else answer(attempt);
    }
    await bench.untilNextAttempt();
    expect(await inFlight(bench)).toHaveLength(1);
    expect(bench.ends).toEqual(['a: granted 1', 'b: granted 2', 'c: granted 3']);
    expect(bench.attempts.undone).toEqual([]);
  });

  it.each([
    { title: 'refused', answer: (attempt: SentAttempt | undefined) => attempt?.busy() },
    { title: 'not answered', answer: (attempt: SentAttempt | undefined) => attempt?.fail(noReply()) },
  ])('do not overtake one that was $title: what they got is given back, and it asks at once', async ({ answer }) => {
    const { bench, sent } = await afterFirstGrant({});
    const [b, c, d, e] = sent;
    b?.grant(2);
    answer(c);
    // Another client released in between.
    d?.grant(4);
    e?.grant(5);
    const [again, ...more] = await inFlight(bench);
    expect(bench.ends).toEqual(['a: granted 1', 'b: granted 2']);
    expect(bench.attempts.undone).toEqual([4, 5]);
    expect(more).toEqual([]);
    again?.grant(6);
    for (const [index, attempt] of (await inFlight(bench)).entries()) attempt.grant(index + 7);
    await bench.clock.advance(0);
    expect(bench.ends.slice(2)).toEqual(['c: granted 6', 'd: granted 7', 'e: granted 8']);
    expect(bench.isClean).toBe(true);
  });

  it('ask once more for the first one if another left what it got, which may be the last of all', async () => {
    const abort = new AbortController();
    const { bench, sent } = await afterFirstGrant({ signals: { b: abort.signal } });
    abort.abort();
    const [b, ...later] = sent;
    b?.grant(2);
    for (const attempt of later) attempt.busy();
    const [again, ...more] = await inFlight(bench);
    expect(bench.attempts.undone).toEqual([2]);
    expect(more).toEqual([]);
    again?.grant(3);
    await bench.clock.advance(0);
    expect(bench.ends).toEqual(['a: granted 1', 'b: LockAbortedError', 'c: granted 3']);
  });

  it('get what was granted although their time has ended meanwhile, or are rejected with what was found', async () => {
    const { bench, sent } = await afterFirstGrant({ waits: { b: 50, c: 50, d: 50, e: 50 } });
    await bench.clock.advance(100);
    expect(bench.ends).toEqual(['a: granted 1']);
    const [b, ...later] = sent;
    b?.grant(2);
    for (const attempt of later) attempt.busy({ holder: 'them' });
    await bench.clock.advance(0);
    expect(bench.ends.slice(1)).toEqual(['b: granted 2', ...['c', 'd', 'e'].map((who) => `${who}: LockTimeoutError`)]);
    expect(bench.errors).toContainEqual(expect.objectContaining({ message: expect.stringContaining('held by them') }));
    expect(bench.isClean).toBe(true);
  });

  it.each([
    {
      title: 'a permanent error answers one of them',
      end: (sent: readonly SentAttempt[]) => sent[1]?.fail(new LockKeyTypeError('a hash')),
      error: 'LockKeyTypeError',
      granted: 1,
    },
    {
      title: 'the application ends',
      end: (_sent: readonly SentAttempt[], bench: AcquirerBench) => bench.shutdown.abort(new LockShutdownError('over')),
      error: 'LockShutdownError',
      granted: 0,
    },
  ])('leave nothing taken if $title', async ({ end, error, granted }) => {
    const { bench, sent } = await afterFirstGrant({});
    end(sent, bench);
    for (const [index, attempt] of sent.entries()) attempt.grant(index + 2);
    await bench.clock.advance(0);
    expect(bench.ends.slice(1 + granted)).toEqual(CALLERS.slice(1 + granted).map((who) => `${who}: ${error}`));
    const answered = numbered(4).filter((id) => id !== 3 || error === 'LockShutdownError');
    expect(bench.attempts.undone).toEqual(answered.slice(granted));
    expect(bench.isClean).toBe(true);
  });
});
