import { LockConflictError, LockTimeoutError, LockUnavailableError } from '../../lib/errors.js';
import type { Client } from '../kit/client.js';
import { inWorld } from '../kit/every-backend.js';
import { MemoryWorld } from '../kit/memory-world.js';

const COMMAND_TIMEOUT = 200;
const WAIT = 1000;

type Locks = Client['locks'];
/** Tries for so many ms. Resolves with whether it acquired, which it keeps until the end of the test. */
type Take = (locks: Locks, wait: number) => Promise<boolean>;

interface Kind {
  readonly kind: string;
  readonly take: Take;
  /** Makes it take all that there is. Default: `take`. */
  readonly takeAll?: Take;
}

const semaphore = (locks: Locks) => locks.getSemaphore('n');
const permits = (locks: Locks) => locks.getPermitExpirableSemaphore('n');

const limited =
  (fair: boolean): Take =>
  (locks, wait) =>
    new Promise((resolve, reject) => {
      const work = (): Promise<void> => new Promise(() => resolve(true));
      const failed = (error: unknown): void => {
        if (error instanceof LockTimeoutError || error instanceof LockConflictError) resolve(false);
        else reject(error);
      };
      locks.withLimit('n', 1, { wait, fair }, work).catch(failed);
    });

const KINDS: readonly Kind[] = [
  { kind: 'plain', take: async (locks, wait) => !!(await locks.tryAcquire('n', { wait })) },
  { kind: 'fair', take: async (locks, wait) => !!(await locks.tryAcquire('n', { kind: 'fair', wait })) },
  { kind: 'fenced', take: async (locks, wait) => !!(await locks.tryAcquire('n', { kind: 'fenced', wait })) },
  { kind: 'spin', take: async (locks, wait) => !!(await locks.tryAcquire('n', { kind: 'spin', wait })) },
  { kind: 'group', take: async (locks, wait) => !!(await locks.getGroupLock('n', ['a', 'b']).tryAcquire({ wait })) },
  { kind: 'multi', take: async (locks, wait) => !!(await locks.getMultiLock('n', 'm').tryAcquire({ wait })) },
  { kind: 'write', take: async (locks, wait) => !!(await locks.tryAcquire('n', { mode: 'write', wait })) },
  {
    kind: 'write, before new readers',
    take: async (locks, wait) => !!(await locks.tryAcquire('n', { mode: 'write', preference: 'writer', wait })),
  },
  {
    kind: 'read',
    take: async (locks, wait) => !!(await locks.tryAcquire('n', { mode: 'read', wait })),
    takeAll: async (locks, wait) => !!(await locks.tryAcquire('n', { mode: 'write', wait })),
  },
  { kind: 'limit', take: limited(false) },
  { kind: 'limit in order', take: limited(true) },
  {
    kind: 'semaphore',
    take: (locks, wait) => semaphore(locks).tryAcquire(1, { wait }),
    takeAll: async (locks) => {
      await semaphore(locks).trySetPermits(1);
      return semaphore(locks).tryAcquire();
    },
  },
  {
    kind: 'permits with ids',
    take: async (locks, wait) => !!(await permits(locks).tryAcquire({ wait })),
    takeAll: async (locks) => {
      await permits(locks).trySetPermits(1);
      return !!(await permits(locks).tryAcquire());
    },
  },
];

/** The requests of waiters. */
const REQUESTS = ['acquire', 'wait', 'queue', 'take', 'keep', 'announce'];

const world = new MemoryWorld();
inWorld(world, () => {
  /** A client that waits for what another has, and asks after `safetyPoll` ms. */
  const waiting = async ({ take, takeAll = take }: Kind, safetyPoll: number) => {
    const other = await world.open();
    const client = await world.open({ safetyPoll, commandTimeout: COMMAND_TIMEOUT });
    await expect(takeAll(other.locks, 0)).resolves.toBe(true);
    return { client, taking: take(client.locks, WAIT) };
  };

  /** From now on no request of this client is answered, as in a write pause of the server. Messages still come. */
  const pause = ({ runtime }: Client): void => {
    const unanswered = async (): Promise<never> => {
      await runtime.scheduler.pause(COMMAND_TIMEOUT);
      throw new LockUnavailableError('No reply', 'unknown', false, { lockName: 'n' });
    };
    const parts = Object.values(runtime.backend) as object[];
    for (const part of parts)
      for (const request of REQUESTS) if (request in part) Object.assign(part, { [request]: unanswered });
  };

  describe('A server that pauses while a caller waits', () => {
    it.each(KINDS)('D47: is not reported as unavailable if the wait ends soon after that: $kind', async (kind) => {
      const { client, taking } = await waiting(kind, WAIT - 140);
      await world.time.pass(WAIT - 150);
      pause(client);
      await expect(world.time.finish(taking, 150 + COMMAND_TIMEOUT)).resolves.toBe(false);
    });

    it.each(KINDS)('D47: is, if it has been silent for as long as a command may take: $kind', async (kind) => {
      const { client, taking } = await waiting(kind, WAIT / 2);
      await world.time.pass(WAIT / 2 - 10);
      pause(client);
      await expect(world.time.finish(taking, WAIT)).rejects.toThrow(LockUnavailableError);
    });
  });
});
