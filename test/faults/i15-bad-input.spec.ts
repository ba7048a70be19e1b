import fc from 'fast-check';
import { LockError, LockNameError, LockOptionsError } from '../../lib/errors.js';
import type { LockService } from '../../lib/lock.service.js';
import { until } from '../kit/until.js';
import { badDuration, badLease, badName, badOptions, type Given, noFunction } from './bad-values.js';
import { sentCommands } from './observe.js';
import { useServerFixture } from './server-fixture.js';

describe('I15: bad input is refused before any command is sent', () => {
  const fixture = useServerFixture();

  /** The keys on the server and the counters of its commands, except for the commands that read them. */
  const footprint = async () => {
    const keys = await fixture().admin.keys('*');
    const { info: _info, keys: _keys, ...sent } = await sentCommands(fixture().admin);
    return { keys: keys.toSorted(), sent };
  };

  const connected = async (): Promise<LockService> => {
    // A reply after the deadline would be followed by commands in the background.
    const { locks } = fixture().open(undefined, { commandTimeout: '2s' });
    await (await locks.acquire('warm-up')).release();
    // On a slow machine the first attempt may be followed by a wait, and clients listen on for a while.
    await until(async () => (await fixture().admin.pubsub('CHANNELS')).length === 0, 5000, 'no client listens');
    return locks;
  };

  /** Expects that all calls reject each value with this error. Resolves with the footprints before and after. */
  const refusals = async (
    values: fc.Arbitrary<Given>,
    kind: new (...args: never[]) => LockError,
    calls: (value: unknown) => readonly (() => unknown)[],
  ) => {
    const before = await footprint();
    await fc.assert(
      fc.asyncProperty(values, async ({ value }) => {
        for (const call of calls(value)) {
          const [{ status, ...outcome }] = await Promise.allSettled([(async () => call())()]);
          expect(status).toBe('rejected');
          expect(outcome).toEqual({ reason: expect.any(kind) as unknown });
        }
      }),
      { numRuns: 500 },
    );
    return { before, after: await footprint() };
  };

  it('leases are checked', async () => {
    const locks = await connected();
    // The watchdog of the holder sends no command during the test.
    const holder = fixture().open(undefined, { renewedLease: '10m' });
    const hold = fixture().history.note(await holder.locks.acquire('i15', { lease: '60s' }));
    const lock = locks.getLock('i15:lease');
    const { before, after } = await refusals(badLease, LockOptionsError, (value) => {
      const options = { lease: value } as never;
      return [
        () => locks.acquire('i15:lease', options),
        () => locks.tryAcquire('i15:lease', options),
        () => locks.withLock('i15:lease', options, () => {}),
        () => lock.acquire(options),
        () => lock.tryAcquire(options),
        () => lock.withLock(options, () => {}),
        () => hold.extend(value as never),
      ];
    });
    expect(after).toEqual(before);
    await expect(hold.release()).resolves.toBe('released');
  });

  it('waits are checked', async () => {
    const locks = await connected();
    const lock = locks.getLock('i15:wait');
    const { before, after } = await refusals(badDuration, LockOptionsError, (value) => {
      const options = { wait: value } as never;
      return [
        () => locks.acquire('i15:wait', options),
        () => locks.tryAcquire('i15:wait', options),
        () => locks.withLock('i15:wait', options, () => {}),
        () => lock.acquire(options),
        () => lock.tryAcquire(options),
        () => lock.withLock(options, () => {}),
      ];
    });
    expect(after).toEqual(before);
  });

  it('names are checked', async () => {
    const locks = await connected();
    const { before, after } = await refusals(badName, LockNameError, (value) => {
      const name = value as never;
      return [
        () => locks.getLock(name),
        () => locks.acquire(name),
        () => locks.tryAcquire(name, { wait: '1s' }),
        () => locks.withLock(name, () => {}),
      ];
    });
    expect(after).toEqual(before);
  });

  it('options are checked', async () => {
    const locks = await connected();
    const lock = locks.getLock('i15:options');
    const { before, after } = await refusals(badOptions, LockOptionsError, (value) => {
      const options = value as never;
      return [
        () => locks.acquire('i15:options', options),
        () => locks.tryAcquire('i15:options', options),
        () => locks.withLock('i15:options', options, () => {}),
        () => lock.acquire(options),
        () => lock.withLock(options, () => {}),
      ];
    });
    expect(after).toEqual(before);
  });

  it('callbacks are checked', async () => {
    const locks = await connected();
    const lock = locks.getLock('i15:callback');
    const { before, after } = await refusals(noFunction, LockOptionsError, (value) => {
      const fn = value as never;
      return [
        () => locks.withLock('i15:callback', {}, fn),
        () => locks.withLock('i15:callback', fn),
        () => lock.withLock({}, fn),
        () => lock.withLock(fn),
      ];
    });
    expect(after).toEqual(before);
  });

  it('the message names the option and the value, on one line', async () => {
    const locks = await connected();
    const cases = [
      [{ lease: -1 }, ['lease', '-1']],
      [{ lease: '10abc' }, ['lease', '"10abc"']],
      [{ lease: 2 ** 31 }, ['lease', '2147483648']],
      [{ wait: NaN }, ['wait', 'NaN']],
      [{ wait: [5] }, ['wait', 'array [5]']],
      [{ wait: 'a\nb' }, ['wait', '"a\\u000ab"']],
      [{ leaseTime: 5 }, ['leaseTime', 'it is called lease here']],
      [{ signal: 'now' }, ['signal', '"now"']],
    ] as const;
    for (const [options, words] of cases) {
      const error: unknown = await locks.acquire('i15', options as never).catch((reason: unknown) => reason);
      const message = error instanceof LockOptionsError ? error.message : '';
      for (const word of words) expect(message).toContain(word);
      expect(message).not.toMatch(/[\n\r]/);
    }
    for (const name of ['', 'a\nb', 7, undefined]) {
      const error: unknown = await locks.acquire(name as never).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(LockNameError);
      expect(String(error)).not.toMatch(/[\n\r]/);
    }
  });

  it('only own properties count, and are read once, without prototypes', async () => {
    const locks = await connected();
    for (const options of [
      Object.create({ lease: -1, unknown: true }) as object,
      Object.freeze({ lease: 60_000 }),
      Object.seal({ lease: '60s', wait: undefined, signal: undefined }),
      Object.assign(Object.create(null) as object, { lease: 60_000 }),
      new (class {
        lease = 60_000;
        get wait(): never {
          throw new Error('not an own property');
        }
      })(),
    ]) {
      const hold = fixture().history.note(await locks.acquire('i15:own', options as never));
      await expect(hold.release()).resolves.toBe('released');
    }
    let reads = 0;
    const fickle = {
      get lease() {
        reads++;
        return reads === 1 ? 60_000 : NaN;
      },
    };
    const hold = fixture().history.note(await locks.acquire('i15:own', fickle));
    expect(reads).toBe(1);
    expect(await fixture().admin.pttl('i15:own')).toBeGreaterThan(50_000);
    await expect(hold.release()).resolves.toBe('released');
  });

  it('strange but valid names are locks of their own, and are the keys', async () => {
    const locks = await connected();
    const names = [
      '__proto__',
      'constructor',
      'toString',
      'é',
      'e\u0301',
      '漢字',
      '😀',
      '\\',
      '$&',
      '{a}b',
      '<1>',
      ' ',
    ];
    const holds = await Promise.all(names.map((name) => locks.acquire(name)));
    holds.forEach((hold) => fixture().history.note(hold));
    expect((await fixture().admin.keys('*')).toSorted()).toEqual(names.toSorted());
    for (const name of names) await expect(locks.tryAcquire(name)).resolves.toBeNull();
    await Promise.all(holds.map((hold) => hold.release()));
    await expect(fixture().admin.keys('*')).resolves.toEqual([]);
  });
});
