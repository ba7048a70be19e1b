import { FairAcquirer } from '../../lib/waiting/fair/fair-acquirer.js';
import { FairParts, LEASE, NAME } from './fair-queue-world.js';
import { unavailable } from './held-requests.js';

describe('Acquiring a fair lock', () => {
  let parts: FairParts;
  let acquirer: FairAcquirer;

  beforeEach(() => {
    parts = new FairParts();
    acquirer = new FairAcquirer(parts.waiting);
  });

  interface Call {
    readonly wait?: number;
    readonly signal?: AbortSignal;
    readonly name?: string;
  }

  /** Resolves with the owner that got the lock, or the error. */
  const acquire = ({ name, ...terms }: Call = {}): Promise<unknown> =>
    acquirer.acquire<unknown>(parts.context(terms, name), LEASE, ({ owner }) => owner).catch((error: unknown) => error);

  const isSettled = async (): Promise<boolean> => {
    let settled = false;
    void acquirer.settled().then(() => (settled = true));
    await parts.settle();
    return settled;
  };

  describe('without a wait', () => {
    it('takes one attempt that asks for no place', async () => {
      const call = acquire({ wait: 0 });
      const { request, reply } = parts.locks.acquires.take();
      expect(request).toMatchObject({ name: NAME, owner: 'us:1', lease: LEASE });
      expect(acquirer.contended).toBe(0);
      reply({ outcome: 'acquired', sent: request.sentAt });
      await expect(call).resolves.toBe('us:1');
      expect(parts.attempted).toEqual([]);
    });

    it.each([
      ['held', { outcome: 'busy', holder: 'them:1', remaining: 70 }, { holder: 'them:1', remaining: 70 }],
      ['reserved for a waiter', { outcome: 'reserved', next: 'them:1', remaining: 70 }, { next: 'them:1' }],
    ] as const)('fails if the lock is %s', async (_, reply, details) => {
      const call = acquire({ wait: 0 });
      parts.locks.acquires.take().reply(reply);
      await expect(call).resolves.toMatchObject({ code: 'LOCK_CONFLICT', details });
      expect(parts.clock.pending).toBe(0);
    });

    it('fails if the server does not answer, and does not ask again', async () => {
      const call = acquire({ wait: 0 });
      const error = unavailable('unknown');
      parts.locks.acquires.take().fail(error);
      await expect(call).resolves.toBe(error);
      expect(parts.locks.acquires.sent).toHaveLength(1);
    });

    it('takes one attempt if its time has passed before, and then reports the time waited', async () => {
      const asked = parts.context({ wait: 50 });
      await parts.clock.advance(60);
      const call = acquirer.acquire<unknown>(asked, LEASE, () => {}).catch((error: unknown) => error);
      parts.locks.acquires.take().reply({ outcome: 'busy', holder: 'them:1', remaining: -1 });
      await expect(call).resolves.toMatchObject({ code: 'LOCK_TIMEOUT', details: { holder: 'them:1', waited: 60 } });
      expect(parts.attempted).toEqual([]);
    });

    it('releases a grant that comes after the abort', async () => {
      const abort = new AbortController();
      const call = acquire({ wait: 0, signal: abort.signal });
      const { request, reply } = parts.locks.acquires.take();
      abort.abort();
      reply({ outcome: 'acquired', sent: request.sentAt });
      await expect(call).resolves.toMatchObject({ code: 'LOCK_ABORTED' });
      expect(parts.locks.releases.sent).toEqual([{ name: NAME, owner: 'us:1', lease: LEASE }]);
    });
  });

  it.each([0, 1000])('that was aborted before sends nothing (wait %i)', async (wait) => {
    const call = acquire({ wait, signal: AbortSignal.abort() });
    await expect(call).resolves.toMatchObject({ code: 'LOCK_ABORTED' });
    expect([parts.attempted, parts.locks.acquires.sent]).toEqual([[], []]);
    expect(acquirer.contended).toBe(0);
  });

  it('takes part in one queue for each name', async () => {
    const calls = [acquire(), acquire(), acquire({ name: 'other' })];
    await parts.settle();
    expect(acquirer.contended).toBe(2);
    // The second waiter of the name waits for the answer to the first.
    expect(parts.locks.queues.sent.map(({ name }) => name)).toEqual([NAME, 'other']);
    await parts.grant('us:3');
    expect(acquirer.contended).toBe(1);
    await parts.grant('us:1');
    expect(acquirer.contended).toBe(1);
    await parts.grant('us:2');
    expect(acquirer.contended).toBe(0);
    await expect(Promise.all(calls)).resolves.toEqual(['us:1', 'us:2', 'us:3']);
  });

  it('opens a new queue after all waiters have left the last one', async () => {
    const first = acquire();
    await parts.settle();
    await parts.grant('us:1');
    await first;
    const second = acquire();
    await parts.settle();
    expect(acquirer.contended).toBe(1);
    expect(parts.attempting).toEqual(['us:2']);
    await parts.grant('us:2');
    await expect(second).resolves.toBe('us:2');
  });

  it.each(['granted', 'placed', 'failed'] as const)(
    'continues undisturbed when the attempt of an aborted waiter of an ended queue is %s',
    async (answer) => {
      const abort = new AbortController();
      const first = acquire({ signal: abort.signal });
      await parts.settle();
      abort.abort();
      await expect(first).resolves.toMatchObject({ code: 'LOCK_ABORTED' });
      expect(acquirer.contended).toBe(0);
      const second = acquire();
      await parts.settle();
      expect(parts.attempting).toEqual(['us:1', 'us:2']);
      if (answer === 'granted') await parts.grant('us:1');
      else if (answer === 'placed') await parts.place('us:1');
      else await parts.fail('us:1', unavailable('refused', true));
      expect(acquirer.contended).toBe(1);
      expect(parts.left).toEqual(answer === 'failed' ? [] : ['us:1']);
      await parts.grant('us:2');
      await expect(second).resolves.toBe('us:2');
      expect(acquirer.contended).toBe(0);
      expect(parts.clock.pending).toBe(0);
    },
  );

  it('is settled when no attempt of waiters, and no departure, is in flight', async () => {
    await expect(isSettled()).resolves.toBe(true);
    const abort = new AbortController();
    const call = acquire({ signal: abort.signal });
    await expect(isSettled()).resolves.toBe(false);
    abort.abort();
    await call;
    await expect(isSettled()).resolves.toBe(false);
    await parts.grant('us:1');
    await expect(isSettled()).resolves.toBe(false);
    parts.locks.leaves.take().reply();
    await expect(isSettled()).resolves.toBe(true);
  });

  it('is settled when no attempt without a wait, and no release, is in flight', async () => {
    const abort = new AbortController();
    const call = acquire({ wait: 0, signal: abort.signal });
    await expect(isSettled()).resolves.toBe(false);
    abort.abort();
    const { request, reply } = parts.locks.acquires.take();
    reply({ outcome: 'acquired', sent: request.sentAt });
    await call;
    await expect(isSettled()).resolves.toBe(false);
    parts.locks.releases.take().reply({ outcome: 'released' });
    await expect(isSettled()).resolves.toBe(true);
  });
});
