import { type Hold, type Lock, LockLostError, type LockService } from '../../lib/index.js';
import { GrantedHold } from '../../lib/holds/granted-hold.js';
import type { Client } from '../kit/client.js';
import { HeldReplies, type Unanswered } from './held-replies.js';

const KINDS: readonly (readonly [name: string, lockOf: (locks: LockService) => Lock])[] = [
  ['plain', (locks) => locks.getLock('n')],
  ['fair', (locks) => locks.getFairLock('n')],
  ['spin', (locks) => locks.getSpinLock('n')],
  ['fenced', (locks) => locks.getFencedLock('n')],
  ['read', (locks) => locks.getReadWriteLock('n').readLock()],
  ['write', (locks) => locks.getReadWriteLock('n').writeLock()],
  ['group', (locks) => locks.getGroupLock('n', ['a', 'b'])],
];

type Replies = (renewal: Unanswered, hold: Unanswered) => Promise<void>;

/** The orders of the answers to a renewal and to the shorter hold that was requested after it. */
const ANSWERED: readonly (readonly [order: string, reply: Replies])[] = [
  [
    'the reply to the renewal comes first',
    async (renewal, hold) => {
      await renewal.answer();
      await hold.answer();
    },
  ],
  [
    'the reply to the hold comes first',
    async (renewal, hold) => {
      await hold.answer();
      await renewal.answer();
    },
  ],
  [
    'the hold is answered and the renewal is not',
    async (renewal, hold) => {
      await hold.answer();
      await renewal.fail();
    },
  ],
];

const UNANSWERED: readonly (readonly [order: string, reply: Replies])[] = [
  [
    'the renewal is answered before the hold fails',
    async (renewal, hold) => {
      await renewal.answer();
      await hold.fail();
    },
  ],
  [
    'the renewal is answered after the hold failed',
    async (renewal, hold) => {
      await hold.fail();
      await renewal.answer();
    },
  ],
];

const believedBy = (hold: Hold | undefined): number => {
  if (!(hold instanceof GrantedHold)) throw new Error('Not a hold of one lock');
  return hold.grant.lease.remaining;
};

describe('A lease that is shortened while a renewal is under way', () => {
  let world: HeldReplies;
  let other: Client;
  let clients: Client[];

  beforeEach(() => {
    world = new HeldReplies();
    other = world.openUndisturbed();
    clients = [other];
  });

  afterEach(() => Promise.all(clients.map((client) => client.close())));

  const open = (renewedLease: number): LockService => {
    const client = world.open({ renewedLease });
    clients.push(client);
    return client.locks;
  };

  const answerAll = async (): Promise<void> => {
    world.letGo('renew');
    world.letGo('hold');
    for (const command of [...world.unanswered]) await command.answer();
  };

  /**
   * Expects that until the server drops the lock the holder believes in a shorter lease than the server's, and that its
   * signal aborts at the end of that lease.
   */
  const expectToEndInTime = async (hold: Hold | undefined, lock: Lock): Promise<void> => {
    if (!hold) throw new Error('Not held');
    // Violations are collected and checked at the end, because thousands of expectations take longer than the locks.
    const wrong: unknown[] = [];
    for (let kept = await lock.remainingLease(); kept > 0; kept = await lock.remainingLease()) {
      const [believed, { aborted }] = [believedBy(hold), hold.signal];
      if (believed >= kept || aborted !== (believed === 0)) wrong.push({ kept, believed, aborted });
      await world.clock.advance(1);
    }
    expect(wrong).toEqual([]);
    expect(() => hold.assertHeld()).toThrow(LockLostError);
    expect(hold.signal.reason).toBeInstanceOf(LockLostError);
  };

  describe.each(KINDS)('%s', (_kind, lockOf) => {
    it.each([...ANSWERED, ...UNANSWERED])(
      'D1: ends in time when an inner hold leaves and %s',
      async (_order, reply) => {
        const lock = lockOf(open(3000));
        const outer = await lock.acquire({ lease: 2000 });
        const inner = await outer.run(() => lock.acquire());
        world.holdBack('renew');
        await world.clock.advance(1100);
        world.holdBack('hold');
        const leaving = inner.release().catch((error: unknown) => error);
        await world.clock.advance(0);
        const [renewal, hold] = [world.pending('renew', inner.name), world.pending('hold', inner.name)];
        await reply(renewal, hold);
        expect(believedBy(outer)).toBeGreaterThan(800);
        await answerAll();
        await leaving;
        await expectToEndInTime(outer, lockOf(other.locks));
      },
    );
  });

  it.each(ANSWERED)('D1: ends in time when a multi-lock begins its lease and %s', async (_order, reply) => {
    const locks = open(3000);
    const theirs = await other.locks.acquire('b');
    const waiting = locks.getMultiLock('a', 'b').acquire({ lease: 500, wait: '10s' });
    world.holdBack('renew');
    await world.clock.advance(1100);
    world.holdBack('hold');
    await theirs.release();
    await world.clock.advance(10);
    // The watchdog renews only `a` so far. Both members begin their lease.
    await reply(world.pending('renew', 'a'), world.pending('hold', 'a'));
    await answerAll();
    const { members } = await waiting;
    await expectToEndInTime(members[0], other.locks.getLock('a'));
    expect(members[1]?.signal.aborted).toBe(true);
  });

  it.each([...ANSWERED, ...UNANSWERED])(
    'D1: ends in time when a RedLock begins its lease and %s',
    async (_order, reply) => {
      const locks = open(90);
      const names = ['a', 'b', 'c'];
      const theirs = await Promise.all(['b', 'c'].map((name) => other.locks.acquire(name)));
      // The first round of a RedLock waits for its votes for 50 to 100 ms.
      const random = jest.spyOn(Math, 'random').mockReturnValue(1);
      const waiting = locks
        .getMajorityLock(...names.map((name) => locks.getLock(name)))
        .acquire({ lease: 60, wait: '10s' });
      world.holdBack('renew');
      await world.clock.advance(40);
      random.mockRestore();
      world.holdBack('hold');
      await Promise.all(theirs.map((hold) => hold.release()));
      await world.clock.advance(5);
      // The lease of 60 ms ends after the first lease of `a` and before the end of its renewal.
      await reply(world.pending('renew', 'a'), world.pending('hold', 'a'));
      await answerAll();
      const { members } = await waiting;
      expect(members.map(({ name }) => name)).toContain('a');
      await expectToEndInTime(
        members.find(({ name }) => name === 'a'),
        other.locks.getLock('a'),
      );
    },
  );
});
