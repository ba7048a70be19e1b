import type { Redis } from 'ioredis';
import type { LockService } from '../../lib/lock.service.js';
import { limitPermits } from '../../lib/keys/redisson-keys.js';
import { until } from '../kit/until.js';
import { useServerFixture } from './server-fixture.js';

const CALLERS = 20;
const PERMITS = 1000;
/** The longest deadline that there is, so that none passes while a reply is held back. */
const PATIENT = { commandTimeout: '2s', renewedLease: '120s' } as const;

interface Kind {
  readonly title: string;
  readonly prepare?: (locks: LockService) => Promise<unknown>;
  /** Resolves when the caller has its grant, with the function that gives it back. */
  readonly acquire: (locks: LockService) => Promise<() => Promise<unknown>>;
  /** The number of grants on the server. */
  readonly granted: (admin: Redis) => Promise<number>;
}

const permitsTaken = async (admin: Redis): Promise<number> => PERMITS - Number(await admin.get('shared'));

const kinds: readonly Kind[] = [
  {
    title: 'a limit',
    // One member is the limit, far below the end of any lease.
    granted: (admin) => admin.zcount(limitPermits('shared'), `(${PERMITS}`, '+inf'),
    acquire: (locks) =>
      new Promise((resolve, reject) => {
        const work = (): Promise<void> =>
          new Promise((end) =>
            resolve(() => {
              end();
              return held;
            }),
          );
        const held = locks.withLock('shared', { limit: PERMITS }, work);
        held.catch(reject);
      }),
  },
  {
    title: 'a semaphore',
    granted: permitsTaken,
    prepare: (locks) => locks.getSemaphore('shared').trySetPermits(PERMITS),
    acquire: async (locks) => {
      await locks.getSemaphore('shared').acquire();
      return () => locks.getSemaphore('shared').release();
    },
  },
  {
    title: 'permits with ids',
    granted: permitsTaken,
    prepare: (locks) => locks.getPermitExpirableSemaphore('shared').trySetPermits(PERMITS),
    acquire: async (locks) => {
      const permit = await locks.getPermitExpirableSemaphore('shared').acquire({ lease: '120s' });
      return () => permit.release();
    },
  },
  ...([undefined, { preference: 'writer' }] as const).map((options): Kind => ({
    title: options ? 'a read lock that lets writers go first' : 'a read lock',
    // One field is the mode.
    granted: async (admin) => Math.max(0, (await admin.hlen('shared')) - 1),
    acquire: async (locks) => {
      const hold = await locks.getReadWriteLock('shared', options).readLock().acquire();
      return () => hold.release();
    },
  })),
];

describe('Callers of one process that ask for a free shared grant at once', () => {
  const fixture = useServerFixture();

  it.each(kinds)('D72: have it after two round trips: $title', async ({ prepare, acquire, granted }) => {
    const { client, proxy } = await fixture().openBehindProxy(PATIENT);
    const { locks, runtime } = client;
    await prepare?.(locks);
    // From now on only the callers are answered.
    await runtime.backend.pubSub.subscribe('other', () => {});
    const onServer = (): Promise<number> => granted(fixture().admin);
    proxy.hold('reply');
    const served: number[] = [];
    const asked = Array.from({ length: CALLERS }, async (_, index) => {
      const giveBack = await acquire(locks);
      served.push(index);
      return giveBack;
    });
    // The first round trip: one caller, since nothing is known yet.
    await until(async () => (await onServer()) === 1 && proxy.heldReplies > 0);
    proxy.heal();
    proxy.hold('reply');
    // The second one: all others, of which none waits for the reply to another.
    await until(async () => (await onServer()) === CALLERS);
    expect(served).toEqual([0]);
    proxy.heal();
    const giveBack = await Promise.all(asked);
    expect(served).toEqual(Array.from({ length: CALLERS }, (_, index) => index));
    await Promise.all(giveBack.map((each) => each()));
  });
});
