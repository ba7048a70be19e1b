import { hostname } from 'node:os';
import { LockConflictError, type LockOptions, LockOptionsError, type LockService } from '../../lib/standalone.js';
import type { HolderRecord } from '../../lib/advanced.js';
import { caught } from '../kit/caught.js';
import { openClient } from '../kit/client.js';
import { onEveryBackend } from '../kit/every-backend.js';
import type { World } from '../kit/world.js';

const NOTE = 'Anna: price list of May';

/** Options of a holder, and of a caller that it refuses. */
const KINDS: readonly (readonly [kind: string, options: LockOptions, refused: LockOptions])[] = [
  ['plain', {}, {}],
  ['fair', { fair: true }, { fair: true }],
  ['fenced', { fenced: true }, { fenced: true }],
  ['spin', { kind: 'spin' }, { kind: 'spin' }],
  ['non-reentrant', { kind: 'nonReentrant' }, { kind: 'nonReentrant' }],
  ['read', { mode: 'read' }, { mode: 'write' }],
  ['write', { mode: 'write' }, { mode: 'read' }],
  ['limit', { limit: 1 }, { limit: 1 }],
];

type Work = () => Promise<void>;

/** Ways to acquire locks with a note, each for some work, and the names of these locks. */
const WAYS: readonly (readonly [
  way: string,
  names: readonly string[],
  hold: (locks: LockService, note: string, work: Work) => Promise<unknown>,
])[] = [
  [
    'tryAcquire',
    ['a'],
    async (locks, note, work) => {
      const hold = await locks.tryAcquire('a', { note });
      await work();
      await hold?.release();
    },
  ],
  ['withLock', ['a'], (locks, note, work) => locks.withLock('a', { note }, work)],
  ['withLock and replace', ['a'], (locks, note, work) => locks.withLock('a', { note, onConflict: 'replace' }, work)],
  ['a lock', ['a'], (locks, note, work) => locks.getLock('a').withLock({ note }, work)],
  ['a group lock', ['a'], (locks, note, work) => locks.getGroupLock('a', ['v']).withLock({ note }, work)],
  ['a multi-lock', ['a', 'b'], (locks, note, work) => locks.getMultiLock('a', 'b').withLock({ note }, work)],
  [
    'a majority lock',
    ['a', 'b', 'c'],
    (locks, note, work) => {
      const [a, b, c] = [locks.getLock('a'), locks.getFairLock('b'), locks.getFencedLock('c')];
      return locks.getMajorityLock(a, b, c).withLock({ note }, work);
    },
  ],
];

/** The records of all holders, in the order of the names of their locks. */
const recordsIn = async (locks: LockService): Promise<readonly (readonly [string, HolderRecord | undefined])[]> => {
  const found: (readonly [string, HolderRecord | undefined])[] = [];
  for await (const { name, holders } of locks.list()) for (const { record } of holders) found.push([name, record]);
  return found.toSorted(([one], [other]) => one.localeCompare(other));
};

/** Resolves with the record of the holder of `n` as soon as it is there and wanted: it is written only after a while. */
const recordOf = async (
  { time }: World,
  locks: LockService,
  isWanted = (_record: HolderRecord): boolean => true,
): Promise<HolderRecord> => {
  let found: HolderRecord | undefined;
  await time.until(async () => {
    const [[, record] = []] = await recordsIn(locks);
    found = record;
    return record !== undefined && isWanted(record);
  }, 5000);
  if (!found) throw new Error('There is no record');
  return found;
};

onEveryBackend((world) => {
  const open = async (options = {}): Promise<LockService> =>
    (await world.open({ holderRecords: { service: 'shop' }, ...options })).locks;

  describe('The note of an acquisition', () => {
    it.each(KINDS)('tells why a %s lock is held, and not why it is held next', async (_, options, refused) => {
      const [locks, others] = [await open(), await open()];
      const hold = await locks.acquire('n', { ...options, note: NOTE });
      const record = await recordOf(world, others);
      expect(record.note).toBe(NOTE);
      const error = await caught(others.acquire('n', { ...refused, wait: 0 }), LockConflictError);
      expect(error.details).toMatchObject({ holder: hold.owner, record: { note: NOTE } });
      const since = new Date(record.since).toISOString();
      expect(error.message).toContain(
        `shop on ${hostname()}, process ${process.pid}, has held it since ${since}, note "${NOTE}"`,
      );
      await hold.release();
      const next = await others.acquire('n', options);
      expect(await recordOf(world, locks)).not.toHaveProperty('note');
      const again = await caught(locks.acquire('n', { ...refused, wait: 0 }), LockConflictError);
      expect(again.message).not.toContain('note');
      await next.release();
    });

    it.each(WAYS)('is given by %s', async (_, names, hold) => {
      const locks = await open();
      let seen: Awaited<ReturnType<typeof recordsIn>> = [];
      await hold(locks, NOTE, () =>
        world.time
          .until(async () => {
            seen = await recordsIn(locks);
            return seen.every(([, record]) => record !== undefined);
          }, 5000)
          .then(() => undefined),
      );
      expect(seen.map(([name, record]) => [name, record?.note])).toEqual(names.map((name) => [name, NOTE]));
    });

    it('is given by a single flight', async () => {
      const [locks, others] = [await open(), await open()];
      await locks.singleFlight('n', { note: NOTE }, async () => {
        await expect(recordOf(world, others)).resolves.toMatchObject({ note: NOTE });
        const refused = others.runInScope(() => others.singleFlight('n', { wait: 0 }, () => 1));
        const { details } = await caught(refused, LockConflictError);
        expect(details).toMatchObject({ record: { note: NOTE } });
      });
    });

    it('is that of the caller, if code of the same process releases the lock to it', async () => {
      const locks = await open();
      const hold = await locks.acquire('n', { note: 'first' });
      await expect(recordOf(world, locks)).resolves.toMatchObject({ note: 'first' });
      const waiting = locks.acquire('n', { note: 'second', wait: '20s' });
      await hold.release();
      const next = await world.time.finish(waiting, 20_000);
      const isSecond = ({ note }: HolderRecord): boolean => note === 'second';
      await expect(recordOf(world, locks, isSecond)).resolves.toMatchObject({ pid: process.pid });
      await next.release();
    });

    it('is that of the outer acquisition while the lock is re-entered, and after it', async () => {
      const locks = await open();
      await locks.withLock('n', { note: 'outer' }, async () => {
        await locks.withLock('n', { note: 'inner' }, async () => {
          await expect(recordOf(world, locks)).resolves.toMatchObject({ note: 'outer' });
        });
        await expect(recordOf(world, locks)).resolves.toMatchObject({ note: 'outer' });
      });
    });

    it('stays when a reader becomes the writer', async () => {
      const locks = await open();
      const reading = await locks.getReadWriteLock('n').readLock().acquire({ note: NOTE });
      const writing = await reading.tryUpgrade();
      await expect(recordOf(world, locks)).resolves.toMatchObject({ note: NOTE });
      await writing?.release();
    });

    it('stays while the lock is kept for holdAtLeast', async () => {
      const locks = await open();
      await locks.withLock('n', { note: NOTE, holdAtLeast: '30s' }, () => undefined);
      await expect(recordOf(world, locks)).resolves.toMatchObject({ note: NOTE, keptUntil: expect.any(Number) });
      await locks.getLock('n').forceRelease();
    });

    it('stays on its line in the error of a caller', async () => {
      const locks = await open();
      const note = 'a\nb\u001b[2J\u202e';
      const hold = await locks.acquire('n', { note });
      await expect(recordOf(world, locks)).resolves.toMatchObject({ note });
      const { message } = await caught(locks.acquire('n', { wait: 0 }), LockConflictError);
      expect(message).toContain(String.raw`, note "a\u000ab\u001b[2J\u202e"`);
      await hold.release();
    });
  });

  describe('A note is refused before anything is sent', () => {
    const values: readonly (readonly [string, unknown])[] = [
      ['not ""', ''],
      ['(129 characters)', 'x'.repeat(129)],
      ['not 7', 7],
      ['not null', null],
      ['not object {text}', { text: NOTE }],
    ];

    it.each(values)('as a wrong value: %s', async (shown, note) => {
      const locks = await open();
      const options = { note } as never;
      const before = await world.probe.commands();
      for (const use of [
        () => locks.acquire('n', options),
        () => locks.tryAcquire('n', options),
        () => locks.withLock('n', options, () => 1),
        () => locks.getLock('n').acquire(options),
        () => locks.getLock('n').withLock(options, () => 1),
        () => locks.singleFlight('n', options, () => 1),
      ]) {
        const error = await caught(use(), LockOptionsError);
        expect(error.message).toMatch(/^note must be text of 1 to 128 characters, not /);
        expect(error.message).toContain(shown);
        expect(error.details).toEqual({ option: 'note', value: note });
      }
      await expect(world.probe.commands()).resolves.toBe(before);
    });

    it('but not with the most characters', async () => {
      const locks = await open();
      const hold = await locks.acquire('n', { note: 'x'.repeat(128) });
      await expect(hold.release()).resolves.toBe('released');
    });

    it.each(['acquire', ...WAYS.map(([way]) => way), 'singleFlight'])('without holderRecords: %s', async (way) => {
      const locks = await open({ holderRecords: undefined });
      const hold = WAYS.find(([name]) => name === way)?.[2];
      const refused = (): Promise<unknown> => {
        if (hold) return hold(locks, NOTE, async () => {});
        if (way === 'acquire') return locks.acquire('n', { note: NOTE });
        return locks.singleFlight('n', { note: NOTE }, () => 1);
      };
      const before = await world.probe.commands();
      const error = await caught(refused(), LockOptionsError);
      expect(error.message).toBe(
        `note must be left out, but it was "${NOTE}": holders are not recorded; give the module holderRecords: true`,
      );
      expect(error.details).toEqual({ option: 'note', value: NOTE });
      await expect(world.probe.commands()).resolves.toBe(before);
    });

    it('for a lock of an owner', async () => {
      const locks = await open();
      const options = { owner: 'user:7', lease: '2m', note: NOTE } as never;
      await expect(locks.acquire('n', options)).rejects.toThrow(
        `note must be left out, but it was "${NOTE}": a lock of an owner has no record of its holder`,
      );
    });
  });
});

describe('A note is refused before anything is sent', () => {
  it('for a RedLock, also among others', async () => {
    const nodes = [2, 3, 4].map((port) => `redis://127.0.0.1:${port}`);
    const client = openClient({ connection: 'redis://127.0.0.1:1', holderRecords: true, redLock: { nodes } });
    const { locks } = client;
    try {
      const red = locks.getRedLock('n');
      for (const use of [
        () => locks.acquire('n', { kind: 'redLock', note: NOTE } as never),
        () => red.acquire({ note: NOTE }),
        () => locks.getMultiLock('a', red).acquire({ note: NOTE }),
        () => locks.getMajorityLock(locks.getLock('a'), locks.getLock('b'), red).acquire({ note: NOTE }),
      ]) {
        const { message } = await caught(use(), LockOptionsError);
        expect(message).toBe(
          `note must be left out, but it was "${NOTE}": locks of getRedLock(name) have no records of their holders`,
        );
      }
    } finally {
      await client.close();
    }
  });
});
