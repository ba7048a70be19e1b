import { LockShutdownError } from '../../lib/errors.js';
import { released } from './released.js';
import { reply } from './scripted-attempts.js';
import { AcquirerBench } from './wait-queue-bench.js';

describe('An acquisition that does not wait', () => {
  it.each([
    { what: 'granted', undone: [1] },
    { what: 'busy', undone: [] },
    { what: 'no reply', undone: [] },
  ] as const)(
    'D74: is rejected as soon as it is aborted during its attempt, and gives back what that gets: $what',
    async ({ what, undone }) => {
      const bench = new AcquirerBench();
      const abort = new AbortController();
      bench.acquire('a', { wait: 0, signal: abort.signal });
      const attempt = await bench.attempt();
      abort.abort();
      await bench.clock.advance(0);
      expect(bench.ends).toEqual(['a: LockAbortedError']);
      reply(attempt, what);
      await bench.clock.advance(0);
      expect(bench.ends).toHaveLength(1);
      expect(bench.attempts.undone).toEqual(undone);
    },
  );
});

describe('The first attempt for a name', () => {
  it('needs no queue, timer or subscription if it succeeds, nor does the next', async () => {
    const bench = new AcquirerBench();
    for (const who of ['a', 'b']) {
      bench.acquire(who, { wait: 1000 });
      const attempt = await bench.attempt();
      expect(bench.isClean).toBe(true);
      attempt.grant(1);
      await bench.clock.advance(0);
    }
    expect(bench.ends).toEqual(['a: granted 1', 'b: granted 1']);
    expect(bench.isClean).toBe(true);
    expect(bench.pubSub.asked).toBe(0);
  });

  it.each([
    { what: 'busy', at: 0, end: undefined },
    { what: 'busy', at: 1000, end: 'a: LockTimeoutError' },
    { what: 'no reply', at: 0, end: undefined },
    { what: 'no reply', at: 1000, end: 'a: LockUnavailableError' },
    { what: 'wrong type', at: 0, end: 'a: LockKeyTypeError' },
    { what: 'wrong type', at: 1000, end: 'a: LockKeyTypeError' },
    // A grant counts although the time of the wait is over.
    { what: 'granted', at: 1000, end: 'a: granted 1' },
  ] as const)(
    'leads to a queue, or ends the call, with the reply after $at of 1000 ms: $what → $end',
    async ({ what, at, end }) => {
      const bench = new AcquirerBench();
      bench.acquire('a', { wait: 1000 });
      const attempt = await bench.attempt();
      await bench.clock.advance(at);
      expect(bench.ends).toEqual([]);
      reply(attempt, what);
      await bench.clock.advance(0);
      expect(bench.ends).toEqual(end === undefined ? [] : [end]);
      expect(bench.acquirer.contended).toBe(end === undefined ? 1 : 0);
      expect(bench.pubSub.asked).toBe(end === undefined ? 1 : 0);
    },
  );

  it.each([
    { what: 'granted', undone: [1] },
    { what: 'busy', undone: [] },
    { what: 'no reply', undone: [] },
  ] as const)(
    'is undone, and the call rejected, if the application ends before the reply: $what',
    async ({ what, undone }) => {
      const bench = new AcquirerBench();
      bench.acquire('a');
      const attempt = await bench.attempt();
      const reason = new LockShutdownError('over');
      bench.shutdown.abort(reason);
      reply(attempt, what);
      await bench.clock.advance(0);
      expect(bench.errors).toEqual([reason]);
      expect(bench.attempts.undone).toEqual(undone);
      expect(bench.isClean).toBe(true);
    },
  );

  it.each([
    { title: 'a call with a signal', signal: new AbortController().signal, isShared: false },
    { title: 'a shared result', signal: undefined, isShared: true },
  ])('is made in a queue for $title, so that the call can end before the reply', async ({ signal, isShared }) => {
    const bench = new AcquirerBench();
    bench.attempts.isShared = isShared;
    bench.acquire('a', signal && { signal });
    await bench.clock.advance(0);
    expect(bench.attempts.sent).toEqual([1]);
    expect(bench.acquirer.contended).toBe(1);
  });
});

describe('Callers that come during the first attempt of another', () => {
  it.each([
    { what: 'granted', afterGrant: { remaining: -1 }, sent: [1], ends: ['a: granted 1'] },
    { what: 'granted', afterGrant: undefined, sent: [1, 2], ends: ['a: granted 1'] },
    { what: 'busy', afterGrant: undefined, sent: [1], ends: [] },
    { what: 'no reply', afterGrant: undefined, sent: [1], ends: [] },
    { what: 'wrong type', afterGrant: undefined, sent: [1, 2], ends: ['a: LockKeyTypeError'] },
    { what: 'no permission', afterGrant: undefined, sent: [1, 2], ends: ['a: LockUnavailableError'] },
  ] as const)(
    'continue from its reply ($what, after a grant: $afterGrant): attempts for $sent',
    async ({ what, afterGrant, sent, ends }) => {
      const bench = new AcquirerBench();
      bench.attempts.afterGrant = afterGrant;
      // A confirmed subscription would cause another attempt.
      bench.pubSub.answer = () => new Promise(() => {});
      bench.acquire('a', { wanted: 1 });
      bench.acquire('b', { wanted: 2 });
      const attempt = await bench.attempt();
      expect(bench.pubSub.asked).toBe(0);
      reply(attempt, what);
      await bench.clock.advance(0);
      expect(bench.attempts.sent).toEqual(sent);
      expect(bench.ends).toEqual(ends);
      expect(bench.acquirer.contended).toBe(1);
    },
  );
});

describe('A release without a queue', () => {
  it.each([
    { told: 2, channel: 'channel', waits: true },
    { told: 0, channel: 'channel', waits: false },
    { told: 2, channel: '', waits: false },
  ])(
    'makes the next caller wait up to 1 ms: $waits (told: $told, channel: "$channel")',
    async ({ told, channel, waits }) => {
      const bench = new AcquirerBench(channel);
      bench.acquirer.beforeRelease('n');
      bench.acquirer.afterRelease('n', released(told));
      expect(bench.acquirer.contended).toBe(waits ? 1 : 0);
      bench.acquire('a');
      await bench.clock.advance(0.5);
      expect(bench.attempts.sent).toEqual(waits ? [] : [1]);
      await bench.clock.advance(0.5);
      expect(bench.attempts.sent).toEqual([1]);
    },
  );
});

describe('A queue that has ended', () => {
  it('does not remove the next queue of the same name when its subscription fails late', async () => {
    const bench = new AcquirerBench();
    const refusals: ((error: Error) => void)[] = [];
    bench.pubSub.answer = () => new Promise((_resolve, reject) => void refusals.push(reject));
    bench.acquire('a', { wait: 50 });
    await bench.untilAsleep();
    await bench.clock.advance(50);
    expect(bench.acquirer.contended).toBe(0);
    bench.acquire('b');
    await bench.untilAsleep();
    refusals.shift()?.(new TypeError('broken'));
    await bench.clock.advance(0);
    expect(bench.acquirer.contended).toBe(1);
    expect(bench.ends).toEqual(['a: LockTimeoutError']);
  });
});
