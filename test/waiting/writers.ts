import type { WaitingWriter, WriteRequest } from '../../lib/backend/lock-operations.js';
import { OwnerIds } from '../../lib/context/owner-ids.js';
import { type LockEvent, LockEvents } from '../../lib/events/lock-events.js';
import { readWriteLockChannel } from '../../lib/keys/redisson-keys.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { WaitLimit } from '../../lib/time/wait-limit.js';
import { LockAttempts } from '../../lib/waiting/lock-attempts.js';
import { QueuedAcquirer } from '../../lib/waiting/queued-acquirer.js';
import { WriterPreferenceAcquirer } from '../../lib/waiting/writer-preference-acquirer.js';
import { HeldPubSub } from './held-pub-sub.js';
import { HeldLock, HeldRequests } from './held-requests.js';

export const LEASE = 30_000;
export const POLLING = { subscribed: 5000, unsubscribed: 1000 };
/** How long the server lets a writer go first whose process has died. */
export const SLOT = 3000;

type Announced = WaitingWriter & { readonly name: string };

/** The write half of a read-write lock, whose replies the test gives. */
class HeldWriteLock extends HeldLock<WriteRequest> {
  readonly announcements = new HeldRequests<Announced, void>();
  readonly withdrawals = new HeldRequests<Announced, void>();

  announce(name: string, { id, slot }: WaitingWriter): Promise<void> {
    return this.announcements.send({ name, id, slot });
  }

  withdraw(name: string, { id, slot }: WaitingWriter): Promise<void> {
    return this.withdrawals.send({ name, id, slot });
  }
}

interface Call {
  readonly wait?: number;
  readonly signal?: AbortSignal;
  readonly name?: string;
}

/** Writers of one process that wait, on a manual clock and with a server that the test plays. */
export const setUpWriters = ({ maxQueue = 10_000 } = {}) => {
  const clock = new ManualClock();
  const scheduler = new MonotonicScheduler(clock, () => {});
  const locks = new HeldWriteLock(scheduler);
  const pubSub = new HeldPubSub();
  const owners = new OwnerIds('us');
  const events = new LockEvents();
  const seen: LockEvent[] = [];
  events.on((event) => void seen.push(event));
  const waiting = { pubSub, scheduler, polling: POLLING, commandTimeout: 1000, maxQueue, slot: SLOT };
  const once = new QueuedAcquirer(new LockAttempts(locks, owners, events), waiting);
  const acquirer = new WriterPreferenceAcquirer(locks, once, owners, events, waiting);
  const settle = (): Promise<void> => clock.advance(0);
  /** Resolves with `granted`, or the code of the error. */
  const acquire = async ({ name = 'n', wait = Number.POSITIVE_INFINITY, signal }: Call = {}): Promise<unknown> => {
    const limit = new WaitLimit(scheduler, wait, signal ? [signal] : []);
    const asked = { what: 'Lock', name, template: undefined, limit };
    return acquirer
      .acquire(asked, LEASE, () => 'granted')
      .catch((error: Error & { readonly code?: string }) => error.code ?? error.message);
  };
  const busy = async (): Promise<void> => {
    locks.acquires.take().reply({ outcome: 'busy', holder: 'them:1', remaining: -1 });
    await settle();
  };
  const grant = async (): Promise<void> => {
    const { request, reply } = locks.acquires.take();
    reply({ outcome: 'acquired', sent: request.sentAt });
    await settle();
  };
  const fail = async (error: unknown): Promise<void> => {
    locks.acquires.take().fail(error);
    await settle();
  };
  const announce = async (name = 'n'): Promise<void> => {
    pubSub.publish(readWriteLockChannel(name));
    await settle();
  };
  /** Acknowledges the subscription, after which the first writer makes another attempt in vain. */
  const sleep = async (): Promise<void> => {
    pubSub.subscribes.take().reply(true);
    await settle();
    await busy();
  };
  const waitingIds = (): unknown[] => locks.acquires.sent.map((request) => request.waiting?.id);
  const withdrawn = (): unknown[] => locks.withdrawals.sent.map(({ id }) => id);
  const calls = { acquire, busy, grant, fail, announce, sleep, settle, waitingIds, withdrawn };
  return { clock, locks, pubSub, seen, acquirer, ...calls };
};

export type Writers = ReturnType<typeof setUpWriters>;
