import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { LockUnavailableError } from '../../lib/errors.js';
import { FakeRedis, Raw, type Reply } from './fake-redis.js';
import { expectWithin, settled } from './observe.js';
import { until } from '../kit/until.js';
import { DEADLINE, LEASE, POLL, useServerFixture } from './server-fixture.js';
import type { Client } from '../kit/client.js';

const PATIENCE = 1000;

const now = Date.now();

/** Replies that are unlike any reply of a script. */
const alien: fc.Arbitrary<Reply> = fc.oneof(
  fc.constantFrom<Reply>(
    null,
    0,
    1,
    -1,
    2n ** 53n + 1n,
    '',
    'OK',
    'acquired',
    [],
    [null],
    [[]],
    [['acquired', 1000, '', now]],
  ),
  fc.constantFrom<Reply>(
    [1],
    [''],
    [1000, now],
    [now, 60_000],
    ['granted', 1000, '', now],
    [now, 'acquired'],
    ['ACQUIRED', 1000, '', now],
  ),
  fc.constantFrom<Reply>(
    new Raw('*-1\r\n'),
    new Raw('+acquired\r\n'),
    'x'.repeat(100_000),
    Array.from({ length: 1000 }, () => 7),
  ),
  fc.array(fc.oneof(fc.integer(), fc.string(), fc.constant(null)), { maxLength: 6 }),
);

/** The reply with one value replaced by one of another type, or with its end cut off. */
const damaged = (reply: readonly Reply[]): fc.Arbitrary<Reply> => {
  const wrong = (value: Reply | undefined): Reply[] =>
    typeof value === 'number'
      ? [null, '', 'x', String(value), [], [value], 2n ** 53n + 1n, -(2n ** 60n)]
      : [null, 7, [], ['x'], 2n ** 53n + 1n];
  const replaced = fc
    .nat(reply.length - 1)
    .chain((index) => fc.constantFrom(...wrong(reply[index])).map((value) => reply.with(index, value)));
  const cut = fc.nat(reply.length - 1).map((length) => reply.slice(0, length));
  return fc.oneof(replaced, cut);
};

/** Bytes that are no RESP. */
const garbage = fc.constantFrom(
  new Raw('HTTP/1.1 400 Bad Request\r\n\r\n'),
  new Raw('\0\0\0\0\r\n'),
  new Raw('$x\r\n'),
  new Raw('*2\r\n:1\r\n?\r\n'),
);

describe('I15: a server that sends wrong replies', () => {
  const fixture = useServerFixture();
  let fake: FakeRedis;
  let client: Client;

  beforeEach(async () => {
    fake = await FakeRedis.start();
    client = fixture().open(fake.url);
    fixture().after(async () => {
      await client.close();
      await fake.close();
    });
    await client.connected();
  });

  /** Makes the fake give `reply` for a script, `times` in all. */
  const answer = (name: string, reply: Reply, times = Infinity): void => {
    let left = times;
    fake.answer = (command) => (command.name === name && left-- > 0 ? reply : undefined);
  };

  const works = async (): Promise<void> => {
    fake.answer = () => undefined;
    const hold = await client.locks.acquire('works', { wait: '10s' });
    await expect(hold.release()).resolves.toBe('released');
  };

  it('to an acquire: it is unavailable in time, and undone as if granted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(alien, damaged([60_000, now]), damaged(['busy', 1000, 'x:1', now])), async (reply) => {
        fake.commands.length = 0;
        answer('acquire', reply);
        const attempt = await settled(() => client.locks.tryAcquire('i15', { lease: '60s' }));
        expect(attempt.error).toBeInstanceOf(LockUnavailableError);
        expect(attempt.error).toMatchObject({ outcome: 'unknown' });
        expect(String(attempt.error).length).toBeLessThan(500);
        expectWithin(attempt, DEADLINE + 100);
        const [owner = 'nobody'] = fake.commands.filter(({ name }) => name === 'acquire').map(({ args }) => args[2]);
        const undone = () => fake.count(({ name, args }) => name === 'release' && args.includes(owner)) > 0;
        await until(undone, 2 * DEADLINE, 'it is undone');
        await works();
      }),
      { numRuns: 100 },
    );
  });

  it('to an acquire that waits: it is repeated, and the right reply counts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(alien, damaged([LEASE, now])), async (reply) => {
        answer('acquire', reply, 1);
        const hold = await client.locks.acquire('i15', { wait: '10s' });
        await expect(hold.release()).resolves.toBe('released');
      }),
      { numRuns: 10 },
    );
  });

  it('to a release: it is unavailable in time, and released in the background', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(alien, damaged([0, 0, 'released']), fc.constantFrom('Released', 'released ', ['released'])),
        async (reply) => {
          fake.answer = () => undefined;
          const hold = await client.locks.acquire('i15', { lease: '60s' });
          fake.commands.length = 0;
          answer('release', reply);
          const release = await settled(() => hold.release());
          expect(release.error).toBeInstanceOf(LockUnavailableError);
          expectWithin(release, 2 * DEADLINE);
          const tries = fake.count(({ name }) => name === 'release');
          await until(
            () => fake.count(({ name }) => name === 'release') > tries,
            3 * DEADLINE,
            'it is released behind',
          );
          await works();
        },
      ),
      { numRuns: 30 },
    );
  });

  it('to an inspection or a forced release: it is unavailable', async () => {
    const replies = { inspect: ['locked', '', 1, 1000], forceRelease: ['released', '', now] } as const;
    const calls = {
      inspect: () => client.locks.getLock('i15').remainingLease(),
      forceRelease: () => client.locks.getLock('i15').forceRelease(),
    };
    for (const name of ['inspect', 'forceRelease'] as const) {
      await fc.assert(
        fc.asyncProperty(fc.oneof(alien, damaged(replies[name])), async (reply) => {
          answer(name, reply);
          const asked = await settled<unknown>(calls[name]);
          expect(asked.error).toBeInstanceOf(LockUnavailableError);
          expectWithin(asked, DEADLINE + 100);
        }),
        // A forced release fails only once the server refuses it.
        { numRuns: name === 'inspect' ? 100 : 30 },
      );
    }
    await works();
  });

  it('to a re-entry: it is unavailable, and the outer hold is not lost', async () => {
    const replies = fc.sample(fc.oneof(alien, damaged(['held', now])), 100);
    fake.answer = ({ name, args: [, lock = ''] }) => (name === 'hold' ? replies[Number(lock.slice(4))] : undefined);
    // Patient, because it sends hundreds of commands at once.
    const { locks } = fixture().open(fake.url, { commandTimeout: PATIENCE, renewedLease: '30s' });
    await Promise.all(
      replies.map(async (reply, index) => {
        const outer = await locks.acquire(`i15:${index}`);
        const inner = await settled(() => outer.run(() => locks.tryAcquire(`i15:${index}`)));
        expect({ reply, error: inner.error }).toEqual({ reply, error: expect.any(LockUnavailableError) as unknown });
        expectWithin(inner, PATIENCE + 100);
        outer.assertHeld();
        await expect(outer.release()).resolves.toBe('released');
      }),
    );
  });

  it('to renewals: they are repeated, and holds end at their own deadline at the latest', async () => {
    const replies = fc.sample(fc.oneof(alien, damaged(['renewed', now, 1, 1])), 200);
    const holds = [await client.locks.acquire('i15:a'), await client.locks.acquire('i15:b')];
    // Every second answer is wrong.
    let turn = 0;
    fake.answer = ({ name }) => (name === 'renew' && turn++ % 2 === 0 ? replies[turn % replies.length] : undefined);
    await sleep(2 * LEASE);
    expect(turn).toBeGreaterThanOrEqual(6);
    for (const hold of holds) hold.assertHeld();
    expect(client.events.some(({ type }) => type === 'renewal-failed')).toBe(true);
    expect(client.events.some(({ type }) => type === 'lost')).toBe(false);
    // All answers are wrong.
    fake.answer = ({ name }) => (name === 'renew' ? replies[turn++ % replies.length] : undefined);
    await until(() => holds.every(({ signal }) => signal.aborted), LEASE, 'both are given up');
    for (const hold of holds) await hold.release();
  });

  it('in another protocol: calls are unavailable, and the connection is made again', async () => {
    await fc.assert(
      fc.asyncProperty(garbage, fc.constantFrom('acquire', 'inspect', 'release'), async (reply, name) => {
        await works();
        const held = await client.locks.acquire('i15:held', { lease: '60s' });
        answer(name, reply, 1);
        const asked = await settled(() => client.locks.tryAcquire('i15', { lease: '60s' }));
        const looked = await settled(() => client.locks.getLock('i15').isLocked());
        const released = await settled(() => held.release());
        for (const { error } of [asked, looked, released])
          expect(error ?? new LockUnavailableError('', 'unknown', false)).toBeInstanceOf(LockUnavailableError);
        await works();
      }),
      { numRuns: 6 },
    );
  });

  it('to TIME, after connecting: calls are unavailable only as long as that lasts', async () => {
    const replies: readonly Reply[] = [
      'x',
      [],
      ['x', 'y'],
      [null, null],
      [['1'], '2'],
      ['1e400', '0'],
      ['NaN', '0'],
      7,
    ];
    let asked = 0;
    fake.answer = ({ name }) => (name === 'time' ? replies[asked++ % replies.length] : undefined);
    const clients = replies.map(() => fixture().open(fake.url));
    const attempts = clients.map(({ locks }) => settled(() => locks.tryAcquire('i15', { wait: 500 })));
    for (const attempt of await Promise.all(attempts)) {
      expect(attempt.error).toBeInstanceOf(LockUnavailableError);
      expectWithin(attempt, 500 + DEADLINE + 100);
    }
    await until(() => asked >= 2 * replies.length, 10_000, 'they connect again, and ask again');
    fake.answer = () => undefined;
    for (const { locks } of clients) {
      const hold = await locks.acquire('i15', { wait: '10s' });
      await expect(hold.release()).resolves.toBe('released');
    }
  });

  it('to SUBSCRIBE: waiters poll', async () => {
    // Leaves out nil, numbers and short lists: for those ioredis itself throws an error that no caller can catch.
    const replies: readonly Reply[] = [
      new Raw('-ERR unknown command\r\n'),
      ['subscribe', 'redisson_lock__channel:{other}', 1],
      ['message', 'redisson_lock__channel:{i15}', '0'],
      ['unsubscribe', 'redisson_lock__channel:{i15}', 0],
      ['pong', ''],
    ];
    await Promise.all(
      replies.map(async (reply) => {
        const server = await FakeRedis.start();
        fixture().after(() => server.close());
        const waiter = fixture().open(server.url);
        const busyUntil = performance.now() + 300;
        server.answer = ({ name }) => {
          if (name === 'subscribe') return reply;
          return name === 'acquire' && performance.now() < busyUntil ? ['busy', 60_000, 'x:1', Date.now()] : undefined;
        };
        const attempt = await settled(() => waiter.locks.acquire('i15', { wait: '10s' }));
        expectWithin(attempt, 300 + POLL + DEADLINE);
        await expect(attempt.value?.release()).resolves.toBe('released');
      }),
    );
  });
});
