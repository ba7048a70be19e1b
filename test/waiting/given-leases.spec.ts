import type { WaitingEntry } from '../../lib/backend/lock-operations.js';
import { OwnerIds } from '../../lib/context/owner-ids.js';
import { LockEvents } from '../../lib/events/lock-events.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';
import { WaitLimit } from '../../lib/time/wait-limit.js';
import { type Acquired } from '../../lib/waiting/lock-attempts.js';
import { HandOverAttempts } from '../../lib/waiting/hand-over-attempts.js';
import { QueuedAcquirer } from '../../lib/waiting/queued-acquirer.js';
import { grantMessage, HeldGrantingLock } from './held-granting-lock.js';
import { HeldPubSub } from './held-pub-sub.js';
import { unavailable } from './held-requests.js';

const NAME = 'n';
const LEASE = 30_000;
const FIRST_LEASE = 1000;

interface Wait {
  outcome: string;
  got?: Acquired;
}

/** The waiters of one client for one plain lock, with a server that the test plays. */
class World {
  readonly clock = new ManualClock();
  readonly scheduler = new MonotonicScheduler(this.clock, (error) => {
    throw error;
  });
  readonly lock = new HeldGrantingLock(this.scheduler);
  readonly pubSub = new HeldPubSub();
  readonly withdrawn: WaitingEntry[] = [];
  readonly acquirer: QueuedAcquirer<number, Acquired>;

  constructor() {
    const { lock, pubSub, scheduler } = this;
    lock.onWithdrawn = (entry) => void this.withdrawn.push(entry);
    const attempts = new HandOverAttempts(lock, new OwnerIds('me'), new LockEvents(), { max: 16, ms: 5 });
    const polling = { subscribed: 5000, unsubscribed: 1000 };
    this.acquirer = new QueuedAcquirer(
      attempts,
      { scheduler, pubSub, polling, commandTimeout: 1000, maxQueue: 100 },
      lockChannel,
    );
  }

  settle(): Promise<void> {
    return this.clock.advance(0);
  }

  enter(lease: number, signal?: AbortSignal): Wait {
    const wait: Wait = { outcome: 'waiting' };
    const limit = new WaitLimit(this.scheduler, 60_000, signal ? [signal] : []);
    const asked = { what: 'Lock', name: NAME, template: undefined, limit };
    this.acquirer
      .acquire(asked, lease, (got) => got)
      .then(
        (got) => Object.assign(wait, { outcome: 'granted', got }),
        (error: Error) => Object.assign(wait, { outcome: error.name }),
      );
    return wait;
  }

  /** Waits on the server, for the first waiter. Returns the owner of the entry. */
  async waitOnServer(): Promise<string> {
    await this.settle();
    if (this.lock.acquires.unanswered.length > 0) this.busy(this.lock.acquires);
    await this.settle();
    while (this.pubSub.subscribes.unanswered.length > 0) {
      this.pubSub.subscribes.take().reply(true);
      await this.settle();
    }
    const { entry } = this.busy(this.lock.waits);
    await this.settle();
    return entry.owner;
  }

  async give(owner: string, lease: number): Promise<void> {
    this.pubSub.publish(`${NAME}:me`, grantMessage(owner, false, lease));
    await this.settle();
  }

  async held(outcome: 'held' | 'lost' = 'held'): Promise<void> {
    const { request, reply } = this.lock.holds.take();
    reply(outcome === 'held' ? { outcome, sent: request.sentAt } : { outcome });
    await this.settle();
  }

  private busy<Request>(requests: {
    take(): { request: Request; reply: (reply: { outcome: 'busy'; remaining: number; holder: string }) => void };
  }): Request {
    const { request, reply } = requests.take();
    reply({ outcome: 'busy', remaining: LEASE, holder: 'other:1' });
    return request;
  }
}

describe('The lease of a lock that another client gave', () => {
  let world: World;

  beforeEach(() => {
    world = new World();
  });

  it.each([
    ['longer', 600_000, 500],
    ['shorter', 500, LEASE],
  ])('D42: is that of the waiter that gets it if one that left wanted a %s one', async (_, left, lease) => {
    const abort = new AbortController();
    const first = world.enter(left, abort.signal);
    const owner = await world.waitOnServer();
    const second = world.enter(lease);
    abort.abort();
    await world.give(owner, left);
    expect(world.lock.holds.sent).toMatchObject([{ owner, count: 1, lease }]);
    await world.held();
    expect(first.outcome).toBe('LockAbortedError');
    expect(second.got).toMatchObject({ owner, lease });
  });

  it.each([
    ['longer', 600_000, 500],
    ['shorter', 500, LEASE],
  ])(
    'D42: is that of the waiter that gets it if a release kept the lock for one that left and wanted a %s one',
    async (_, left, lease) => {
      world.enter(LEASE);
      const abort = new AbortController();
      const first = world.enter(left, abort.signal);
      const second = world.enter(lease);
      await world.give(await world.waitOnServer(), LEASE);
      const again = world.acquirer.beforeRelease(NAME);
      abort.abort();
      const sent = new Stopwatch(world.scheduler);
      world.acquirer.afterRelease(NAME, { outcome: 'kept', sent }, again);
      await world.settle();
      expect(again?.lease).toBe(left);
      await world.held();
      expect(first.outcome).toBe('LockAbortedError');
      expect(second.got).toMatchObject({ owner: again?.owner, lease });
    },
  );

  it('D39: asks at once for the lock if the server no longer has it when the lease is to be set', async () => {
    const wait = world.enter(LEASE);
    const owner = await world.waitOnServer();
    await world.give(owner, FIRST_LEASE);
    await world.held('lost');
    await world.clock.advance(10);
    expect(world.lock.waits.unanswered).toMatchObject([{ isNew: true }]);
    expect(wait.outcome).toBe('waiting');
    expect(world.lock.releases.sent).toEqual([]);
  });

  it('D39: releases the lock if it is unknown whether the lease was set, and waits on', async () => {
    const wait = world.enter(LEASE);
    const owner = await world.waitOnServer();
    await world.give(owner, FIRST_LEASE);
    world.lock.holds.take().fail(unavailable('unknown'));
    await world.settle();
    expect(world.lock.releases.sent).toMatchObject([{ name: NAME, owner, lease: LEASE }]);
    expect(wait.outcome).toBe('waiting');
    await world.clock.advance(200);
    expect(world.lock.waits.unanswered).toHaveLength(1);
  });
});
