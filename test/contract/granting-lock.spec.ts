import type { ReceivedGrant } from '../../lib/backend/kinds/lock/granting-lock.js';
import type { LockBackend } from '../../lib/backend/lock-backend.js';
import type { CarriedEntry, WaitingEntry } from '../../lib/backend/lock-operations.js';
import { clientsChannel, lockChannel, waitingClients } from '../../lib/keys/redisson-keys.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { until } from '../kit/until.js';

const LEASE = 30_000;
const FIRST_LEASE = 3000;
/** The ids of clients in other processes. */
const CLIENTS = [1, 2, 3, 4].map((n) => `7c0f3b52-6a0f-8a2b-9a53-0f0b6a3d1c1${n}`);
const HOLDER = { name: 'n', owner: 'holder:1', lease: LEASE };

/** A client that waits on the server. */
interface WaitingClient {
  readonly entry: WaitingEntry;
  readonly grants: ReceivedGrant[];
}

onEveryBackend((world) => {
  const open = async (): Promise<LockBackend> => (await world.open()).runtime.backend;
  const entryOf = (lock: LockBackend['lock'], client: number): WaitingEntry =>
    lock.entryOf(`${CLIENTS[client]}:1`, LEASE);

  const carriedBy = (lock: LockBackend['lock'], client: number): CarriedEntry => ({
    ...entryOf(lock, client),
    onSettled: () => {},
  });

  /** Makes a client listen, as one that waits does. */
  const listen = async ({ pubSub, lock }: LockBackend, client: number, isAlive = true): Promise<ReceivedGrant[]> => {
    const grants: ReceivedGrant[] = [];
    const channel = lock.grantChannel('n', CLIENTS[client] ?? '');
    const onMessage = (message?: string): void => {
      const grant = message === undefined ? undefined : channel.read(message);
      if (grant) grants.push(grant);
    };
    if (isAlive) await pubSub.subscribe(channel.name, onMessage);
    return grants;
  };

  const wait = async (backend: LockBackend, client: number, isAlive = true): Promise<WaitingClient> => {
    const grants = await listen(backend, client, isAlive);
    const entry = entryOf(backend.lock, client);
    await expect(backend.lock.wait({ name: 'n', entry, isNew: true })).resolves.toMatchObject({
      outcome: 'busy',
      holder: HOLDER.owner,
    });
    return { entry, grants };
  };

  const state = async (): Promise<unknown> => (await world.probe.state('n')).owners;

  describe('A lock that clients wait for', () => {
    it.each([
      ['the lease that it wants if it has just come', 0, LEASE],
      ['its first lease if it may be dead by now', 200, FIRST_LEASE],
    ])('is given by a release to the client that has waited longest, for %s', async (_, waited, lease) => {
      const backend = await open();
      await backend.lock.acquire(HOLDER);
      const [first, second] = [await wait(backend, 0), await wait(backend, 1)];
      await world.time.pass(waited);
      await expect(backend.lock.release(HOLDER)).resolves.toEqual({ outcome: 'passed-on' });
      expect(await state()).toEqual({ [first.entry.owner]: 1 });
      expect((await world.probe.state('n')).ttl).toBeLessThanOrEqual(lease);
      await until(() => first.grants.length > 0, 1000, 'it is told');
      expect(first.grants).toMatchObject([{ owner: first.entry.owner, lease }]);
      expect(first.grants[0]?.sent.elapsed).toBeLessThan(1000);
      await expect(backend.lock.release({ ...HOLDER, owner: first.entry.owner })).resolves.toEqual({
        outcome: 'passed-on',
      });
      expect(await state()).toEqual({ [second.entry.owner]: 1 });
      await backend.lock.release({ ...HOLDER, owner: second.entry.owner });
      expect(await world.probe.names()).toEqual([]);
    });

    it.each([true, false])(
      'keeps a lease that was extended, also if the wait is executed late (isNew %s)',
      async (isNew) => {
        const { lock } = await open();
        const entry = entryOf(lock, 0);
        const owner = { name: 'n', owner: entry.owner, lease: 4 * LEASE };
        await expect(lock.wait({ name: 'n', entry, isNew: true })).resolves.toMatchObject({ outcome: 'acquired' });
        await expect(lock.hold({ ...owner, count: 1 })).resolves.toMatchObject({ outcome: 'held' });
        await expect(lock.wait({ name: 'n', entry, isNew })).resolves.toMatchObject({ outcome: 'acquired' });
        expect((await world.probe.state('n')).ttl).toBeGreaterThan(3 * LEASE);
      },
    );

    it('comes back to the releasing client after the others', async () => {
      const backend = await open();
      await backend.lock.acquire(HOLDER);
      const first = await wait(backend, 0);
      const again = carriedBy(backend.lock, 1);
      const grants = await listen(backend, 1);
      await expect(backend.lock.release({ ...HOLDER, again })).resolves.toMatchObject({ outcome: 'passed-on' });
      await expect(backend.lock.wait({ name: 'n', entry: again, isNew: false })).resolves.toMatchObject({
        outcome: 'busy',
        holder: first.entry.owner,
      });
      await backend.lock.release({ ...HOLDER, owner: first.entry.owner });
      expect(await state()).toEqual({ [again.owner]: 1 });
      await until(() => grants.length > 0, 1000, 'it is told');
    });

    it('is kept by the releasing client if no other waits, for its whole lease', async () => {
      const { lock } = await open();
      await lock.acquire(HOLDER);
      const again = carriedBy(lock, 0);
      await expect(lock.release({ ...HOLDER, again })).resolves.toMatchObject({ outcome: 'kept' });
      expect(await state()).toEqual({ [again.owner]: 1 });
      expect((await world.probe.state('n')).ttl).toBeGreaterThan(FIRST_LEASE);
      await expect(lock.release({ ...HOLDER, again })).resolves.toEqual({ outcome: 'not-held' });
      expect(await state()).toEqual({ [again.owner]: 1 });
    });

    it.each([0, 1])('is not given to a dead client (%i alive clients behind it)', async (alive) => {
      const backend = await open();
      await backend.lock.acquire(HOLDER);
      await wait(backend, 0, false);
      const next = alive > 0 ? await wait(backend, 1) : undefined;
      await expect(backend.lock.release(HOLDER)).resolves.toMatchObject({ outcome: next ? 'passed-on' : 'released' });
      expect(await state()).toEqual(next ? { [next.entry.owner]: 1 } : {});
    });

    it('is given to nobody by a silent release, nor by force', async () => {
      const backend = await open();
      for (const release of [
        () => backend.lock.release({ ...HOLDER, silent: true }),
        () => backend.lock.forceRelease({ name: 'n' }),
      ]) {
        await backend.lock.acquire(HOLDER);
        await wait(backend, 0);
        await release();
        expect(await state()).toEqual({});
      }
    });

    it('is left to its holder by a release of another owner, which adds no entry', async () => {
      const backend = await open();
      await backend.lock.acquire(HOLDER);
      await wait(backend, 0);
      const again = carriedBy(backend.lock, 1);
      await expect(backend.lock.release({ ...HOLDER, owner: 'other:1', again })).resolves.toEqual({
        outcome: 'not-held',
      });
      expect(await state()).toEqual({ [HOLDER.owner]: 1 });
      await expect(backend.lock.wait({ name: 'n', entry: again, isNew: false })).resolves.toEqual({ outcome: 'gone' });
    });

    it.each([
      ['is given, with all holds of its owner, if all that listen can be given it', true, { outcome: 'passed-on' }],
      ['is left free if one that listens cannot be given it', false, { outcome: 'released', asking: 2 }],
    ])('%s', async (_, canBeGiven, outcome) => {
      const backend = await open();
      await backend.lock.acquire(HOLDER);
      await backend.lock.hold({ ...HOLDER, count: 3 });
      const { entry } = await wait(backend, 0);
      for (const { pubSub } of [backend, await open()]) {
        await pubSub.subscribe(lockChannel('n'), () => {});
        if (pubSub === backend.pubSub || canBeGiven) await pubSub.subscribe(clientsChannel('n'), () => {});
      }
      const again = carriedBy(backend.lock, 1);
      await expect(backend.lock.release({ ...HOLDER, again })).resolves.toMatchObject(outcome);
      expect(await state()).toEqual(canBeGiven ? { [entry.owner]: 1 } : {});
    });

    it('is free for a moment if others listen, such as Java', async () => {
      const backend = await open();
      await backend.lock.acquire(HOLDER);
      const { entry } = await wait(backend, 0);
      const told = new Set<number>();
      for (const listener of [1, 2]) {
        const { pubSub } = await open();
        await pubSub.subscribe(lockChannel('n'), () => void told.add(listener));
      }
      const again = carriedBy(backend.lock, 1);
      await expect(backend.lock.release({ ...HOLDER, again: undefined })).resolves.toMatchObject({
        outcome: 'released',
      });
      expect(await state()).toEqual({});
      await until(() => told.size === 2, 1000, 'they are told');
      await expect(backend.lock.wait({ name: 'n', entry, isNew: false })).resolves.toMatchObject({
        outcome: 'acquired',
      });
      await expect(backend.lock.wait({ name: 'n', entry: again, isNew: false })).resolves.toEqual({ outcome: 'gone' });
    });

    it('is told to its owner again and again, and counted once', async () => {
      const backend = await open();
      await backend.lock.acquire(HOLDER);
      const { entry } = await wait(backend, 0);
      await backend.lock.release(HOLDER);
      for (let asked = 0; asked < 3; asked++) {
        await expect(backend.lock.wait({ name: 'n', entry, isNew: asked === 0 })).resolves.toMatchObject({
          outcome: 'acquired',
        });
      }
      expect(await state()).toEqual({ [entry.owner]: 1 });
      expect((await world.probe.state('n')).ttl).toBeGreaterThan(FIRST_LEASE);
    });

    it('is neither acquired nor waited for by an owner that has released it, however late it asks', async () => {
      const backend = await open();
      await backend.lock.acquire(HOLDER);
      const { entry } = await wait(backend, 0);
      await backend.lock.release(HOLDER);
      await backend.lock.release({ ...HOLDER, owner: entry.owner });
      await expect(backend.lock.wait({ name: 'n', entry, isNew: false })).resolves.toEqual({ outcome: 'gone' });
      await backend.lock.acquire(HOLDER);
      await expect(backend.lock.wait({ name: 'n', entry, isNew: false })).resolves.toEqual({ outcome: 'gone' });
      expect(await world.probe.names()).toEqual(['n']);
    });

    it('keeps the place of a client that asks again', async () => {
      const backend = await open();
      await backend.lock.acquire(HOLDER);
      const [first] = [await wait(backend, 0), await wait(backend, 1)];
      for (const isNew of [true, false]) await backend.lock.wait({ name: 'n', entry: first.entry, isNew });
      await backend.lock.release(HOLDER);
      expect(await state()).toEqual({ [first.entry.owner]: 1 });
    });
  });

  describe('A waiter behind a holder that was given the lock', () => {
    it('acquires when the short lease of that holder ends without a release', async () => {
      const [holder, short, next] = [await world.open(), await world.open(), await world.open()];
      const hold = await holder.locks.acquire('n');
      const waitingFor = async (count: number): Promise<void> =>
        world.time.until(async () => (await world.probe.subscribers(lockChannel('n'))) === count, 2000).then(() => {});
      const dying = short.locks.acquire('n', { lease: 300, wait: '20s' });
      await waitingFor(1);
      await world.time.pass(50);
      const waiting = next.locks.acquire('n', { wait: '20s' });
      await waitingFor(2);
      await world.time.pass(50);
      await hold.release();
      await world.time.finish(dying, 500);
      const start = world.time.now();
      const acquired = await world.time.finish(waiting, 2000);
      expect(world.time.now() - start).toBeLessThan(300 + world.time.slack);
      await acquired.release();
    });
  });

  describe('A client that withdraws', () => {
    const gone = async (): Promise<boolean> => !(await world.probe.names()).includes(waitingClients('n'));

    it('does not wait any more', async () => {
      const backend = await open();
      await backend.lock.acquire(HOLDER);
      const { entry } = await wait(backend, 0);
      backend.lock.withdraw('n', entry);
      await until(gone, 1000, 'its entry is removed');
      await expect(backend.lock.release(HOLDER)).resolves.toMatchObject({ outcome: 'released' });
    });

    it('passes on what it was given meanwhile', async () => {
      const backend = await open();
      await backend.lock.acquire(HOLDER);
      const [first, second] = [await wait(backend, 0), await wait(backend, 1)];
      await backend.lock.release(HOLDER);
      backend.lock.withdraw('n', first.entry);
      await until(async () => second.entry.owner in (await world.probe.state('n')).owners, 1000, 'the next has it');
      backend.lock.withdraw('n', second.entry);
      await until(async () => (await world.probe.names()).length === 0, 1000, 'nothing is left');
      expect(await state()).toEqual({});
    });
  });
});
