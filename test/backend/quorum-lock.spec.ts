import fc from 'fast-check';
import { MemoryServer } from '../../lib/backend/memory/memory-server.js';
import { memoryBackend } from '../kit/memory-backend.js';
import type { LockOperations } from '../../lib/backend/lock-operations.js';
import { QuorumLock, validity } from '../../lib/backend/quorum/quorum-lock.js';
import { QuorumNode } from '../../lib/backend/quorum/quorum-node.js';
import { RetryDelay } from '../../lib/backend/quorum/retry-delay.js';
import { LockUnavailableError } from '../../lib/standalone.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MAX_DURATION } from '../../lib/time/duration.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { safeDuration } from '../../lib/watchdog/lease.js';

const rethrow = (error: unknown): never => {
  throw error;
};

/** The fate of a request to a node: it is answered, it arrives late or never, or its answer is lost. */
type Fate = 'answered' | 'late' | 'not-sent' | 'reply-lost';

/** Nodes in memory. The test decides the fate of every request. */
const openQuorum = (size: number, fates: () => Fate) => {
  const clock = new ManualClock();
  const scheduler = new MonotonicScheduler(clock, rethrow);
  const servers = Array.from({ length: size }, () => new MemoryServer(scheduler));
  const stores = servers.map(({ keyspace }) => keyspace);
  const backends = servers.map((server) => memoryBackend(scheduler, server));
  const failing = (inner: LockOperations): LockOperations =>
    new Proxy(inner, {
      get: (target, property) => {
        const member: unknown = Reflect.get(target, property);
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]): Promise<unknown> => {
          const fate = fates();
          if (fate === 'not-sent') throw new LockUnavailableError('not sent', 'not-sent', false);
          if (fate === 'late') await scheduler.pause(100);
          const answer: unknown = await Reflect.apply(member, target, args);
          if (fate === 'reply-lost') throw new LockUnavailableError('the reply was lost', 'unknown', false);
          return answer;
        };
      },
    });
  const nodes = backends.map(
    ({ lock: inner, inspection, pubSub }, index) =>
      new QuorumNode(
        `node ${index}`,
        {
          lock: failing(inner),
          inspection,
          pubSub,
          watch: () => {},
          refuse: () => {},
          check: async () => ({ server: `node ${index}`, affects: 'its-vote', commands: 'up', messages: 'unused' }),
          open: () => {},
          close: async () => {},
        },
        scheduler,
      ),
  );
  const lock = new QuorumLock(nodes, Math.floor(size / 2) + 1, new RetryDelay(), scheduler);
  return { clock, lock, stores, backends };
};

describe('A lock on a quorum', () => {
  it('is valid no longer than Redlock allows, whatever the lease', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: MAX_DURATION }), (lease) => {
        expect(safeDuration(lease)).toBeLessThanOrEqual(validity(lease, 0));
        expect(safeDuration(lease)).toBeGreaterThan(0);
      }),
    );
  });

  it('D10: is left behind on a quorum, also if a node does not answer', async () => {
    let asked = 0;
    const { lock, stores } = openQuorum(3, () => ((asked += 1) > 3 && asked % 3 === 0 ? 'not-sent' : 'answered'));
    const request = { name: 'n', owner: 'a:1', lease: 1000 };
    await expect(lock.acquire(request)).resolves.toMatchObject({ outcome: 'acquired' });
    await expect(lock.leaveBehind({ ...request, keep: 5000 })).resolves.toBe(true);
    expect(stores.map((store) => store.call(['PTTL', 'n']))).toEqual([5000, 5000, 1000]);
  });

  it('D10: is not left behind if a quorum has lost it, and is released on the others', async () => {
    const { clock, lock, stores } = openQuorum(3, () => 'answered');
    const request = { name: 'n', owner: 'a:1', lease: 1000 };
    await lock.acquire(request);
    for (const store of stores.slice(1)) store.delete('n');
    await expect(lock.leaveBehind({ ...request, keep: 5000 })).resolves.toBe(false);
    await clock.advance(0);
    expect(stores.map((store) => store.call(['PTTL', 'n']))).toEqual([-2, -2, -2]);
  });

  it('D10: has an unknown outcome when left behind if a quorum does not answer', async () => {
    let fate: Fate = 'answered';
    const { lock } = openQuorum(3, () => fate);
    const request = { name: 'n', owner: 'a:1', lease: 1000 };
    await lock.acquire(request);
    fate = 'reply-lost';
    await expect(lock.leaveBehind({ ...request, keep: 5000 })).rejects.toThrow(LockUnavailableError);
  });

  it.each(['acquire', 'release', 'forceRelease', 'leaveBehind'] as const)(
    'D73: has an unknown outcome of %s if a minority has done it, although nothing was sent to the others',
    async (operation) => {
      const request = { name: 'n', owner: 'a:1', lease: 1000, keep: 5000 };
      const before = operation === 'acquire' ? 0 : 3;
      let asked = 0;
      const { lock } = openQuorum(3, () => ((asked += 1) <= before + 1 ? 'answered' : 'not-sent'));
      if (before > 0) await lock.acquire(request);
      await expect(lock[operation](request)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', outcome: 'unknown' });
    },
  );

  it('has one owner at a time, whatever happens to requests and replies', async () => {
    const step = fc.record({
      owner: fc.constantFrom('a:1', 'b:1', 'c:1'),
      action: fc.constantFrom('acquire', 'hold', 'renew', 'release'),
      fates: fc.array(fc.constantFrom<Fate>('answered', 'answered', 'answered', 'not-sent', 'reply-lost'), {
        minLength: 5,
        maxLength: 5,
      }),
      pause: fc.integer({ min: 0, max: 400 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(3, 5), fc.array(step, { maxLength: 30 }), async (size, steps) => {
        let fates: Fate[] = [];
        const { clock, lock } = openQuorum(size, () => fates.shift() ?? 'answered');
        /** The instant until which each owner may believe that it holds. */
        const believed = new Map<string, number>();
        const overlaps: number[] = [];
        let generation = 0;
        for (const { owner: who, action, fates: next, pause } of steps) {
          const lease = 1000;
          const now = clock.now();
          const owner = action === 'acquire' ? `${who}:${(generation += 1)}` : ([...believed.keys()].at(-1) ?? who);
          const isHolder = (believed.get(owner) ?? Number.NEGATIVE_INFINITY) > now;
          fates = [...next];
          const asked = { name: 'n', owner, lease };
          if (action === 'acquire') {
            const reply = await lock.acquire(asked).catch(() => undefined);
            if (reply?.outcome === 'acquired') {
              overlaps.push(...[...believed.values()].filter((until) => until > now));
              believed.set(owner, now + lease);
            }
          } else if (action === 'release') {
            believed.delete(owner);
            await lock.release(asked).catch(() => undefined);
          } else if (isHolder) {
            const held =
              action === 'hold'
                ? await lock.hold({ ...asked, count: 2 }).then(
                    ({ outcome }) => outcome === 'held',
                    () => undefined,
                  )
                : (await lock.renew([asked])).held[0];
            if (held) believed.set(owner, now + lease);
            if (held === false) believed.delete(owner);
          }
          fates = [];
          await clock.advance(pause);
        }
        expect(overlaps).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('reports the outcome of every renewal, although another in the batch is undecided', async () => {
    let fates: Fate[] = [];
    const { lock, stores } = openQuorum(3, () => fates.shift() ?? 'answered');
    const [kept, doubtful, gone] = ['kept', 'doubtful', 'gone'].map((name) => ({ name, owner: 'a:1', lease: 1000 }));
    for (const request of [kept, doubtful, gone]) if (request) await lock.acquire(request);
    stores[1]?.delete('doubtful');
    for (const store of stores.slice(0, 2)) store.delete('gone');
    fates = ['answered', 'answered', 'not-sent'];
    const renewals = [kept, doubtful, gone].flatMap((renewal) => renewal ?? []);
    const { held, failure } = await lock.renew(renewals);
    expect(held).toEqual([true, undefined, false]);
    expect(failure?.message).toContain('2 of 3 answered, 2 are needed');
  });

  it('ends up with nothing on a node that granted when the lock had been released', async () => {
    const fates: Fate[] = ['answered', 'answered', 'late'];
    const { clock, lock, stores } = openQuorum(3, () => fates.shift() ?? 'answered');
    const request = { name: 'n', owner: 'a:1', lease: 30_000 };
    await expect(lock.acquire(request)).resolves.toMatchObject({ outcome: 'acquired' });
    await expect(lock.release(request)).resolves.toEqual({ outcome: 'released' });
    await clock.advance(200);
    expect(stores.map((store) => store.keys())).toEqual([[], [], []]);
  });

  it('repairs nothing for an owner that releases meanwhile', async () => {
    const { clock, lock, stores } = openQuorum(3, () => 'answered');
    const request = { name: 'n', owner: 'a:1', lease: 30_000 };
    await lock.acquire(request);
    stores[0]?.delete('n');
    await Promise.all([lock.renew([request]), lock.release(request)]);
    await clock.advance(0);
    expect(stores.map((store) => store.keys())).toEqual([[], [], []]);
  });

  it('repairs a node that answers only when the others have decided', async () => {
    let fates: Fate[] = [];
    const { clock, lock, stores } = openQuorum(3, () => fates.shift() ?? 'answered');
    const request = { name: 'n', owner: 'a:1', lease: 30_000 };
    await lock.acquire(request);
    stores[2]?.delete('n');
    fates = ['answered', 'answered', 'late'];
    await expect(lock.renew([request])).resolves.toMatchObject({ held: [true] });
    await clock.advance(200);
    expect(stores.map((store) => store.keys())).toEqual([['n'], ['n'], ['n']]);
  });

  it('repairs the other holds on a node that has a foreign key under one name', async () => {
    const { clock, lock, stores } = openQuorum(3, () => 'answered');
    const renewals = ['taken', 'n'].map((name) => ({ name, owner: 'a:1', lease: 30_000 }));
    for (const renewal of renewals) {
      await lock.acquire(renewal);
      stores[0]?.delete(renewal.name);
    }
    stores[0]?.call(['SET', 'taken', 'something', 'PX', '30000']);
    await expect(lock.renew(renewals)).resolves.toMatchObject({ held: [true, true] });
    await clock.advance(0);
    expect(stores[0]?.keys()).toEqual(['taken', 'n']);
  });

  it('counts the holds of its owner although others have the nodes that answer first', async () => {
    let fates: Fate[] = [];
    const { clock, lock, backends } = openQuorum(5, () => fates.shift() ?? 'answered');
    const request = { name: 'n', owner: 'a:1', lease: 30_000 };
    await lock.acquire(request);
    const [first] = backends;
    await first?.lock.release(request);
    await first?.lock.acquire({ ...request, owner: 'b:1' });
    fates = ['answered', 'answered', 'answered', 'late', 'late'];
    const state = lock.inspect('n', 'a:1');
    await clock.advance(200);
    await expect(state).resolves.toMatchObject({ locked: true, count: 1 });
  });

  it('waits no longer than until the end of a lease that makes a quorum with a late node', async () => {
    const fates: Fate[] = ['late', 'answered', 'answered'];
    const { lock, backends } = openQuorum(3, () => fates.shift() ?? 'answered');
    for (const [index, store] of backends.entries()) {
      await store.lock.acquire({ name: 'n', owner: 'b:1', lease: 600 * (index + 1) });
    }
    await expect(lock.acquire({ name: 'n', owner: 'a:1', lease: 1000 })).resolves.toMatchObject({ remaining: 1200 });
  });

  it('waits a random time, over several rounds, if no owner has a quorum', async () => {
    const { lock, backends } = openQuorum(3, () => 'answered');
    const others = ['b:1', 'c:1', 'd:1'];
    for (const [index, store] of backends.entries()) {
      await store.lock.acquire({ name: 'n', owner: others[index] ?? '', lease: 30_000 });
    }
    const remaining = async (): Promise<number> => {
      const reply = await lock.acquire({ name: 'n', owner: 'a:1', lease: 1000 });
      return reply.outcome === 'busy' ? reply.remaining : Number.NaN;
    };
    const found = [await remaining(), await remaining(), await remaining(), await remaining(), await remaining()];
    expect(Math.max(...found)).toBeLessThanOrEqual(10);
    expect(new Set(found).size).toBeGreaterThan(1);
  });
});
