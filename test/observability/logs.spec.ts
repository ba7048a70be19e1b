import { LockUnavailableError } from '../../lib/errors.js';
import { logEvents } from '../../lib/events/event-log.js';
import { type EventOf, LockEvents } from '../../lib/events/lock-events.js';
import type { LockEvent } from '../../lib/index.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';

const open = () => {
  const lines: string[] = [];
  const stacks: (string | undefined)[] = [];
  const clock = new ManualClock();
  const events = new LockEvents();
  const log = {
    log: (line: string) => void lines.push(`log ${line}`),
    warn: (line: string) => void lines.push(`warn ${line}`),
    error: (line: string, stack?: string) => {
      lines.push(`error ${line}`);
      stacks.push(stack);
    },
  };
  const stop = logEvents(events, log, clock);
  return { lines, stacks, clock, events, stop };
};

/** The lines for these events. */
const linesFor = (...given: readonly LockEvent[]): readonly string[] => {
  const { lines, events, stop } = open();
  for (const event of given) events.emit(event);
  stop();
  return lines;
};

const PAY = {
  connection: 'default',
  kind: 'reentrant',
  lockName: 'order:42',
  template: 'order:<0>',
  method: '@Locked Orders.pay',
} as const;
const HELD = { ...PAY, owner: 'me:1', heldFor: 2900 } as const;
const SILENT = new LockUnavailableError('Redis did not answer within 1000 ms', 'unknown', false);

const notRenewed = (locks: EventOf<'renewal-failed'>['locks'], error = SILENT): EventOf<'renewal-failed'> => {
  const lockNames = locks.map(({ lockName }) => lockName);
  return { type: 'renewal-failed', holds: locks.length, lockNames, locks, error };
};

describe('The line about', () => {
  it.each<[what: string, event: LockEvent, line: string]>([
    [
      'a lost lock',
      { type: 'lost', ...HELD, reason: 'its lease ended', remedy: 'raise renewedLease' },
      'error Lock "order:42" (order:<0>, @Locked Orders.pay) was lost by this process after 2.9 s: its lease ended. ' +
        'Others may get it while its work goes on; raise renewedLease (owner me:1)',
    ],
    [
      'a lost lock without method, on a name that is its own template',
      { type: 'lost', ...HELD, template: 'order:42', method: undefined, reason: 'gone', remedy: 'check for DEL' },
      'error Lock "order:42" was lost by this process after 2.9 s: gone. Others may get it while its work goes on; check for DEL (owner me:1)',
    ],
    [
      'a lost write lock',
      { type: 'lost', ...HELD, kind: 'write', method: undefined, reason: 'gone', remedy: 'check for DEL' },
      'error Write lock "order:42" (order:<0>) was lost by this process after 2.9 s: gone. Others may get it while its work goes on; check for DEL (owner me:1)',
    ],
    [
      'a lost permit',
      {
        ...{ type: 'lost', ...PAY, kind: 'permitExpirableSemaphore', template: undefined, method: undefined },
        ...{ owner: 'a1', reason: 'gone', remedy: 'check for DEL' },
      },
      'error A permit of semaphore "order:42" was lost by this process: gone. Others may get it while its work goes on; check for DEL (owner a1)',
    ],
    [
      'a hold that has reached maxHold',
      { type: 'max-hold-reached', ...HELD, heldFor: 60_000, maxHold: 60_000 },
      'warn Lock "order:42" (order:<0>, @Locked Orders.pay) has been held by this process for 60 s, and maxHold of 60 s ends it now: ' +
        'it is no longer renewed; shorten the work, or raise maxHold (owner me:1)',
    ],
    [
      'a long hold',
      { type: 'long-hold', ...HELD, heldFor: 300_000 },
      'warn Lock "order:42" (order:<0>, @Locked Orders.pay) has been held by this process for 300 s; check whether its work hangs, ' +
        'and set maxHold in the module options to limit holds (owner me:1)',
    ],
    [
      'D61: a hold that nobody can release',
      {
        type: 'forgotten',
        ...HELD,
        method: undefined,
        heldFor: 12_000,
        acquiredAt: 'Orders.pay (/app/orders.js:12:30)',
      },
      'error Lock "order:42" (order:<0>) was acquired by this process at Orders.pay (/app/orders.js:12:30) and never released, ' +
        'and after 12 s nothing refers to the hold: it is no longer renewed, and ends with its lease. ' +
        'Release it in a finally block, use withLock(), or keep the hold as long as it is wanted (owner me:1)',
    ],
    [
      'a failed renewal',
      notRenewed([HELD, { ...HELD, lockName: 'b', template: undefined, method: undefined }]),
      'warn This process could not renew 2 of its locks, "order:42" (order:<0>, @Locked Orders.pay), "b": Redis did not answer within 1000 ms. ' +
        'It tries again until their leases end; check the connection to Redis, or they are lost',
    ],
    [
      'a blocked event loop',
      {
        type: 'loop-blocked',
        delay: 11_500,
        locks: [
          { lockName: 'a', owner: 'me:1', method: '@Locked Orders.pay', lease: 30_000, outcome: 'renewed' },
          { lockName: 'b', owner: 'me:2', lease: 900, outcome: 'lost' },
        ],
      },
      'warn The event loop of this process stood for 11.5 s, so the main thread did not renew its locks in time: ' +
        '"a" (@Locked Orders.pay, lease 30 s, renewed late), "b" (lease 900 ms, lost). ' +
        'Move synchronous work to a worker thread, or split it up',
    ],
    [
      'a blocked event loop, with the function that blocked it',
      {
        type: 'loop-blocked',
        delay: 11_500,
        stack: ['copy (/app/node_modules/copy/index.js:1:1)', 'work (/app/x.js:12:3)', 'main (/app/main.js:3:5)'],
        locks: [{ lockName: 'a', owner: 'me:1', lease: 30_000, outcome: 'renewed-in-worker' }],
      },
      'warn The event loop of this process stood for 11.5 s in work (/app/x.js:12:3), so the main thread did not renew its locks in time: ' +
        '"a" (lease 30 s, renewed by the worker thread). Move synchronous work to a worker thread, or split it up',
    ],
    [
      'a blocked event loop, with the function of a package that blocked it',
      {
        type: 'loop-blocked',
        delay: 900,
        stack: [String.raw`copy (C:\app\node_modules\copy\index.js:1:1)`],
        locks: [{ lockName: 'a', owner: 'me:1', lease: 2000, outcome: 'held' }],
      },
      String.raw`warn The event loop of this process stood for 900 ms in copy (C:\app\node_modules\copy\index.js:1:1), so the main thread ` +
        'did not renew its locks in time: "a" (lease 2 s, still held). Move synchronous work to a worker thread, or split it up',
    ],
    [
      'a release that was not confirmed',
      { type: 'release-failed', ...HELD, error: SILENT },
      'warn Lock "order:42" (order:<0>, @Locked Orders.pay) was released by this process after 2.9 s, but Redis did not confirm that: ' +
        'Redis did not answer within 1000 ms. The release is tried again; others wait until it succeeds or the lease ends (owner me:1)',
    ],
    [
      'a release of a lock that was granted too late',
      { type: 'release-failed', lockName: 'a', owner: 'me:1', error: SILENT },
      'warn Lock "a" was released by this process, but Redis did not confirm that: Redis did not answer within 1000 ms. ' +
        'The release is tried again; others wait until it succeeds or the lease ends (owner me:1)',
    ],
    [
      'permits that were not confirmed as given back',
      { type: 'permits-release-failed', lockName: 's', permits: 2, error: SILENT },
      'warn This process gave 2 permit(s) back to semaphore "s", but Redis did not confirm that: ' +
        'Redis did not answer within 1000 ms. The release is tried again; until then the permits are missing',
    ],
    [
      'a lock that this process has force-released',
      { type: 'force-released', ...PAY, method: undefined },
      'warn Lock "order:42" (order:<0>) was force-released by this process. The work of its holder goes on until the signal of the hold ' +
        'aborts; check that it has ended',
    ],
    [
      'different limits for one name',
      { type: 'limits-differ', lockName: 'n', limit: 5, other: 3 },
      'warn Callers of limit "n" differ: this process allows 5 at once, and the last caller before allowed 3. ' +
        'Give the same limit everywhere, unless a deployment is changing it',
    ],
    [
      'a deadlock',
      {
        ...{ type: 'deadlock', ...PAY, waited: 1200 },
        cycle: [
          { method: '@Locked Orders.pay', holds: 'stock:7', owner: 'me:1', waitsFor: 'order:42' },
          { holds: 'order:42', owner: 'you:5', waitsFor: 'stock:7' },
        ],
      },
      'error Deadlock after 1.2 s: @Locked Orders.pay holds "stock:7" (me:1) and waits for "order:42"; ' +
        'a caller holds "order:42" (you:5) and waits for "stock:7". The first of these, of this process, gave up with ' +
        'LockDeadlockError, so that the others go on; acquire these locks in the same order everywhere',
    ],
    [
      'an inverted order of locks',
      {
        ...{ type: 'lock-order-inverted', connection: 'default', first: 'stock:<0>', second: 'order:<0>' },
        ...{ method: '@Locked Orders.pay', otherMethod: undefined },
      },
      'warn @Locked Orders.pay acquired "order:<0>" while it held "stock:<0>", and a caller acquires them the other way round: ' +
        'they can wait for each other for ever. Acquire them in the same order everywhere, or both at once with getMultiLock()',
    ],
    [
      'a failed candidate',
      { type: 'election-failed', lockName: 'boss', error: SILENT },
      'error Leader election "boss": the candidate of this process failed: Redis did not answer within 1000 ms. ' +
        'It becomes a candidate again in a second; correct the cause, or stop() the election',
    ],
    [
      'a result that was not stored',
      { type: 'result-not-shared', lockName: 'report', error: SILENT },
      'warn The result for "report" could not be stored in Redis: Redis did not answer within 1000 ms. ' +
        'This process has it; other waiting processes run the function themselves',
    ],
    [
      'a clock that was set',
      { type: 'clock-jumped', ms: -5000 },
      'warn The clock of a Redis server was set back by 5000 ms: leases end too late there; let its time service slew the clock, not step it',
    ],
    [
      'an error without a caller',
      { type: 'unexpected', error: new Error('listener failed') },
      'error No caller received this error: listener failed. If it comes from a listener of onEvent(), catch it there; its stack tells',
    ],
    [
      'a name with control characters',
      { type: 'limits-differ', lockName: 'a\nerror all is lost\u001b[2J\u009b', limit: 5, other: 3 },
      'warn Callers of limit "a\\u000aerror all is lost\\u001b[2J\\u009b" differ: this process allows 5 at once, ' +
        'and the last caller before allowed 3. Give the same limit everywhere, unless a deployment is changing it',
    ],
  ])('%s says what to do', (_, event, line) => {
    expect(linesFor(event)).toEqual([line]);
  });

  it('a failed renewal of many locks names ten of them', () => {
    const names = Array.from({ length: 12 }, (_, index) => `order:${index}`);
    const locks = names.map((lockName) => ({ ...HELD, lockName, template: undefined, method: undefined }));
    const [line] = linesFor(notRenewed(locks));
    expect(line).toContain('"order:8", "order:9", 2 more: Redis did not answer');
  });

  it.each([
    ['acquire', 2, '2 permit(s) were taken from', 'availablePermits() with the expected number', 'addPermits()'],
    ['drain', undefined, 'all permits were taken from', 'availablePermits() with the expected number', 'addPermits()'],
    ['release', 3, '3 permit(s) were given back to', 'availablePermits() with the expected number', 'addPermits()'],
    ['count-down', 1, 'one count was taken from', 'getCount() with the expected count', 'countDown()'],
  ] as const)('D18: a %s that was given up has name, reason and remedy', (request, count, what, compared, remedy) => {
    expect(linesFor({ type: 'given-up', lockName: 's', request, count, error: SILENT })).toEqual([
      `error Whether ${what} "s" is unknown: Redis did not answer within 1000 ms; compare ${compared}, and correct it with ${remedy}`,
    ]);
  });

  it.each([
    ['all-locks', false, 'Until it is back, locks fail with LockUnavailableError, 503 over HTTP'],
    ['all-locks', true, 'Until this is fixed, locks fail with LockUnavailableError, 503 over HTTP'],
    [
      'its-slots',
      false,
      'Until it is back or replaced, locks in its slots fail with LockUnavailableError, 503 over HTTP',
    ],
    ['its-vote', false, 'Until it is back, getRedLock(name) decides without it'],
  ] as const)('D31: an outage of %s, permanent: %p, has its consequence', (affects, permanent, consequence) => {
    const error = new LockUnavailableError('No connection', 'not-sent', permanent);
    const outage = { server: 'redis:6379', reason: 'Redis at redis:6379 is gone', affects, error } as const;
    expect(linesFor({ type: 'unavailable', ...outage })).toEqual([`error Redis at redis:6379 is gone. ${consequence}`]);
  });

  it.each([
    [400, false, 'log Redis at redis:6379 is back after 400 ms'],
    [14_200, false, 'log Redis at redis:6379 is back after 14.2 s'],
    [4000, true, 'log Redis at redis:6379 is replaced after 4 s'],
  ])('D31: the end of an outage of %d ms, replaced: %p, has its length', (after, isReplaced, line) => {
    expect(linesFor({ type: 'available', server: 'redis:6379', after, isReplaced })).toEqual([line]);
  });
});

describe('The log', () => {
  it('has nothing about acquisitions, waits and releases', () => {
    const counted = { waited: 5, isContended: true, lease: 30_000 };
    const lines = linesFor(
      { type: 'waiting', ...PAY },
      { type: 'acquired', ...HELD, ...counted },
      { type: 're-entered', ...HELD, ...counted },
      { type: 'renewed', ...HELD, ...counted },
      { type: 'handed-over', ...HELD, via: 'process' },
      { type: 'released', ...HELD, how: 'released' },
      { type: 'timed-out', ...PAY, ...counted },
      { type: 'conflict', ...PAY },
      { type: 'cancelled', ...PAY, ...counted },
      { type: 'failed', ...PAY, ...counted, error: SILENT },
    );
    expect(lines).toEqual([]);
  });

  it('has an error that repeats once a minute, with a count, and with its stack', async () => {
    const { lines, stacks, clock, events } = open();
    const error = new Error('listener failed');
    const line =
      'error No caller received this error: listener failed. If it comes from a listener of onEvent(), catch it there; its stack tells';
    for (let times = 0; times < 1000; times += 1) events.emit({ type: 'unexpected', error });
    expect(lines).toEqual([line]);
    await clock.advance(59_999);
    expect(lines).toHaveLength(1);
    await clock.advance(1);
    expect(lines).toEqual([line, `${line} (999 times more in the last minute)`]);
    expect(stacks).toEqual([error.stack, error.stack]);
    events.emit({ type: 'unexpected', error });
    await clock.advance(60_000);
    expect(lines.slice(2)).toEqual([`${line} (once more in the last minute)`]);
    await clock.advance(60_000);
    expect([lines.length, clock.pending]).toEqual([3, 0]);
    events.emit({ type: 'unexpected', error });
    expect(lines.slice(3)).toEqual([line]);
  });

  it('has different errors at once, also in the same minute', () => {
    const { lines, events } = open();
    const fail = (): Error => new Error('one');
    // The first two have the same text, but not the same stack.
    const errors = [new Error('one'), fail(), new TypeError('two'), 'three'];
    for (const error of errors) events.emit({ type: 'unexpected', error });
    expect(lines).toHaveLength(4);
  });

  it('has failed renewals of an outage once a minute, with the latest names', async () => {
    const { lines, clock, events } = open();
    const failed = (name: string, ms: number): void => {
      const error = new LockUnavailableError(`Redis did not answer within ${ms} ms`, 'unknown', false);
      events.emit(notRenewed([{ ...HELD, lockName: name }], error));
    };
    failed('a', 1000);
    failed('a', 998);
    failed('b', 999);
    await clock.advance(60_000);
    expect(lines).toEqual([
      expect.stringMatching(
        /^warn This process could not renew 1 of its locks, "a" \(.*\): Redis did not answer within 1000 ms\./,
      ),
      expect.stringMatching(
        /, "b" \(.*\): Redis did not answer within 999 ms\. .* or they are lost \(2 times more in the last minute\)$/,
      ),
    ]);
  });

  it('D63: has the first hundred locks that are lost for one reason, and counts the others', async () => {
    const { lines, clock, events } = open();
    const lose = (lockName: string, reason: string): void =>
      events.emit({ type: 'lost', ...HELD, lockName, reason, remedy: 'check' });
    for (let number = 1; number <= 10_000; number += 1) lose(`order:${number}`, 'gone');
    lose('report', 'its lease ended');
    expect(lines).toHaveLength(101);
    expect(lines[100]).toContain('"report"');
    await clock.advance(60_000);
    expect(lines).toHaveLength(102);
    expect(lines[101]).toMatch(/^error Lock "order:10000" .* \(9900 times more in the last minute\)$/);
    await clock.advance(60_000);
    lose('order:1', 'gone');
    expect(lines).toHaveLength(103);
    expect(lines[102]).not.toContain('more in the last minute');
  });

  it('has every lost lock, up to a hundred at once', () => {
    const names = Array.from({ length: 50 }, (_, index) => `order:${index}`);
    const lost = names.map(
      (lockName) => ({ type: 'lost', ...HELD, lockName, reason: 'gone', remedy: 'check' }) as const,
    );
    expect(linesFor(...lost)).toHaveLength(50);
  });

  it('counts the repetitions of a hundred lines at most, and writes the others each time', () => {
    const { lines, clock, events } = open();
    const errors = Array.from({ length: 101 }, (_, index) => 'x'.repeat(index + 1));
    for (let times = 0; times < 2; times += 1) for (const error of errors) events.emit({ type: 'unexpected', error });
    expect(lines).toHaveLength(102);
    expect(clock.pending).toBe(100);
  });
});
