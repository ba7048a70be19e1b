import { LockAbortedError, LockConflictError, LockTimeoutError, LockUnavailableError } from '../../lib/errors.js';
import type { Lock, MultiHold } from '../../lib/index.js';
import type { WaitOptions } from '../../lib/advanced.js';
import type { Client } from '../kit/client.js';
import { inWorld } from '../kit/every-backend.js';
import { MemoryWorld } from '../kit/memory-world.js';

const COMMAND_TIMEOUT = 200;
const WAIT = 1000;

type Locks = Client['locks'];
/** Tries to acquire. Resolves with whether it has, and keeps that until the end of the test. */
type Take = (locks: Locks, terms: WaitOptions) => Promise<boolean>;

interface Kind {
  readonly kind: string;
  readonly take: Take;
  /** Takes all that there is. Default: `take`. */
  readonly takeAll?: Take;
}

const semaphore = (locks: Locks) => locks.getSemaphore('n');
const permits = (locks: Locks) => locks.getPermitExpirableSemaphore('n');

const limited =
  (fair: boolean): Take =>
  (locks, terms) =>
    new Promise((resolve, reject) => {
      const work = (): Promise<void> => new Promise(() => resolve(true));
      const failed = (error: unknown): void => {
        if (error instanceof LockTimeoutError || error instanceof LockConflictError) resolve(false);
        else reject(error);
      };
      locks.withLock('n', { limit: 1, ...terms, fair }, work).catch(failed);
    });

const locked =
  (lockOf: (locks: Locks) => Lock | Lock<MultiHold>): Take =>
  async (locks, terms) =>
    (await lockOf(locks).tryAcquire(terms)) !== null;

const KINDS: readonly Kind[] = [
  { kind: 'plain', take: locked((locks) => locks.getLock('n')) },
  { kind: 'fair', take: locked((locks) => locks.getFairLock('n')) },
  { kind: 'fenced', take: locked((locks) => locks.getFencedLock('n')) },
  { kind: 'spin', take: locked((locks) => locks.getSpinLock('n')) },
  { kind: 'group', take: locked((locks) => locks.getGroupLock('n', ['a', 'b'])) },
  { kind: 'multi', take: locked((locks) => locks.getMultiLock('m', 'n', locks.getFairLock('o'))) },
  {
    kind: 'RedLock',
    take: locked((locks) => locks.getMajorityLock(locks.getLock('m'), locks.getFairLock('n'), locks.getSpinLock('o'))),
  },
  { kind: 'write', take: locked((locks) => locks.getReadWriteLock('n').writeLock()) },
  {
    kind: 'write, before new readers',
    take: locked((locks) => locks.getReadWriteLock('n', { preference: 'writer' }).writeLock()),
  },
  {
    kind: 'read',
    take: locked((locks) => locks.getReadWriteLock('n').readLock()),
    takeAll: locked((locks) => locks.getReadWriteLock('n').writeLock()),
  },
  { kind: 'limit', take: limited(false) },
  { kind: 'limit in order', take: limited(true) },
  {
    kind: 'semaphore',
    take: (locks, terms) => semaphore(locks).tryAcquire(1, terms),
    takeAll: async (locks) => {
      await semaphore(locks).trySetPermits(1);
      return semaphore(locks).tryAcquire();
    },
  },
  {
    kind: 'permits with ids',
    take: async (locks, terms) => (await permits(locks).tryAcquire(terms)) !== null,
    takeAll: async (locks) => {
      await permits(locks).trySetPermits(1);
      return (await permits(locks).tryAcquire()) !== null;
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
    await expect(takeAll(other.locks, { wait: 0 })).resolves.toBe(true);
    return { client, taking: take(client.locks, { wait: WAIT }) };
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
    /** The last round of a RedLock decides, and rounds have random lengths. */
    const kinds = KINDS.filter(({ kind }) => kind !== 'RedLock');

    it.each(kinds)('D47: is not reported as unavailable if the wait ends soon after that: $kind', async (kind) => {
      const { client, taking } = await waiting(kind, WAIT - 140);
      await world.time.pass(WAIT - 150);
      pause(client);
      await expect(world.time.finish(taking, 150 + COMMAND_TIMEOUT)).resolves.toBe(false);
    });

    it.each(kinds)('D47: is, if it has been silent for as long as a command may take: $kind', async (kind) => {
      const { client, taking } = await waiting(kind, WAIT / 2);
      await world.time.pass(WAIT / 2 - 10);
      pause(client);
      await expect(world.time.finish(taking, WAIT)).rejects.toThrow(LockUnavailableError);
    });

    /** Waits that end before the reply of their attempt is due, and those that make but one attempt. */
    const aborted = KINDS.flatMap((kind) => [0, 50, WAIT].map((wait) => ({ ...kind, wait })));

    it.each(aborted)('D74: answers an abort at once: $kind, wait: $wait', async ({ take, wait }) => {
      const client = await world.open({ commandTimeout: COMMAND_TIMEOUT });
      pause(client);
      const controller = new AbortController();
      const taking = take(client.locks, { wait, signal: controller.signal });
      await world.time.pass(COMMAND_TIMEOUT - 50);
      controller.abort();
      await expect(world.time.finish(taking, 1)).rejects.toThrow(LockAbortedError);
    });
  });
});
