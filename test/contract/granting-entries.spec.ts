import type { LockBackend } from '../../lib/backend/lock-backend.js';
import type { WaitingEntry } from '../../lib/backend/lock-operations.js';
import { clientChannel, clientsChannel, lockChannel, waitingClients } from '../../lib/keys/redisson-keys.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { until } from '../kit/until.js';

const LEASE = 30_000;
const CLIENTS = [1, 2, 3].map((n) => `7c0f3b52-6a0f-8a2b-9a53-0f0b6a3d1c1${n}`);
const HOLDER = { name: 'n', owner: 'holder:1', lease: LEASE };

onEveryBackend((world) => {
  const open = async (): Promise<LockBackend> => (await world.open()).runtime.backend;
  const entryOf = (lock: LockBackend['lock'], client: number, number = 1, lease = LEASE): WaitingEntry =>
    lock.entryOf(`${CLIENTS[client]}:${number}`, lease);
  const listen = ({ pubSub }: LockBackend, client: number): Promise<unknown> =>
    pubSub.subscribe(clientChannel('n', CLIENTS[client] ?? ''), () => {});
  const held = async (): Promise<readonly string[]> => Object.keys((await world.probe.state('n')).owners);

  /** A lock that is held, and entries of clients that listen and wait for it. */
  const heldWith = async (...clients: readonly number[]) => {
    const backend = await open();
    await backend.lock.acquire(HOLDER);
    const entries = clients.map((client) => entryOf(backend.lock, client));
    for (const client of new Set(clients)) await listen(backend, client);
    for (const entry of entries) await backend.lock.wait({ name: 'n', entry, isNew: true });
    return { backend, lock: backend.lock, entries };
  };

  describe('An entry among the clients that wait for a lock', () => {
    it('is not added, nor acquires, by a request that is not new', async () => {
      const { lock } = await open();
      const entry = entryOf(lock, 0);
      await expect(lock.wait({ name: 'n', entry, isNew: false })).resolves.toEqual({ outcome: 'gone' });
      await lock.acquire(HOLDER);
      await expect(lock.wait({ name: 'n', entry, isNew: false })).resolves.toEqual({ outcome: 'gone' });
      expect(await world.probe.names()).toEqual(['n']);
    });

    it('acquires a free lock at once for its whole lease, and leaves no entry', async () => {
      const { lock } = await open();
      const entry = entryOf(lock, 0);
      await expect(lock.wait({ name: 'n', entry, isNew: true })).resolves.toMatchObject({ outcome: 'acquired' });
      expect(await held()).toEqual([entry.owner]);
      expect((await world.probe.state('n')).ttl).toBeGreaterThan(entry.firstLease);
      expect(await world.probe.names()).toEqual(['n']);
    });

    it('acquires a lock whose lease has ended, and leaves no entry', async () => {
      const backend = await open();
      await backend.lock.acquire({ ...HOLDER, lease: 50 });
      const entry = entryOf(backend.lock, 0);
      await backend.lock.wait({ name: 'n', entry, isNew: true });
      await world.time.pass(60);
      await expect(backend.lock.wait({ name: 'n', entry, isNew: false })).resolves.toMatchObject({
        outcome: 'acquired',
      });
      expect(await world.probe.names()).toEqual(['n']);
    });

    it('never shortens the lease of its owner, however late it is asked about', async () => {
      const { lock, entries } = await heldWith(0);
      const [entry = entryOf(lock, 0)] = entries;
      await lock.release(HOLDER);
      await lock.hold({ name: 'n', owner: entry.owner, count: 1, lease: 10 * LEASE });
      for (const isNew of [true, false])
        await expect(lock.wait({ name: 'n', entry, isNew })).resolves.toMatchObject({ outcome: 'acquired' });
      expect((await world.probe.state('n')).ttl).toBeGreaterThan(9 * LEASE);
    });

    it('has a first lease that is no longer than the lease it wants', async () => {
      const { lock } = await open();
      expect(entryOf(lock, 0, 1, 100)).toMatchObject({ lease: 100, firstLease: 100 });
      expect(entryOf(lock, 0).firstLease).toBeLessThan(LEASE);
    });

    it('is removed by a withdrawal that comes twice, which ends no hold of another owner', async () => {
      const { lock, entries } = await heldWith(0);
      const [entry = entryOf(lock, 0)] = entries;
      lock.withdraw('n', entry);
      lock.withdraw('n', entry);
      const isGone = async (): Promise<boolean> => !(await world.probe.names()).includes(waitingClients('n'));
      await until(isGone, 1000, 'its entry is removed');
      expect(await held()).toEqual([HOLDER.owner]);
    });
  });

  describe('A release of a lock that clients wait for', () => {
    it('that is silent passes nothing on', async () => {
      const { lock } = await heldWith(0);
      await expect(lock.release({ ...HOLDER, silent: true })).resolves.toMatchObject({ outcome: 'released' });
      expect(await held()).toEqual([]);
    });

    it('by an owner that does not hold it changes nothing, nor adds the entry that it carries', async () => {
      const { lock } = await heldWith(0);
      const again = { ...entryOf(lock, 1), onSettled: () => {} };
      await expect(lock.release({ ...HOLDER, owner: 'other:1', again })).resolves.toEqual({ outcome: 'not-held' });
      expect(await held()).toEqual([HOLDER.owner]);
      await expect(lock.wait({ name: 'n', entry: again, isNew: false })).resolves.toEqual({ outcome: 'gone' });
    });

    it('by force passes nothing on', async () => {
      const { lock } = await heldWith(0);
      await expect(lock.forceRelease({ name: 'n' })).resolves.toBe(true);
      expect(await held()).toEqual([]);
    });

    it('ends all holds of its owner at once', async () => {
      const { lock, entries } = await heldWith(0);
      await lock.hold({ ...HOLDER, count: 3 });
      await expect(lock.release(HOLDER)).resolves.toEqual({ outcome: 'passed-on' });
      expect(await held()).toEqual([entries[0]?.owner]);
    });

    it.each([
      ['passes it on if all that listen can be given it, with or without an entry', true, { outcome: 'passed-on' }],
      ['leaves it free if one that listens cannot be given it', false, { outcome: 'released', asking: 2 }],
    ])('%s', async (_, canBeGiven, outcome) => {
      const { backend, lock, entries } = await heldWith(0);
      const again = { ...entryOf(lock, 1), onSettled: () => {} };
      for (const { pubSub } of [backend, await open()]) {
        await pubSub.subscribe(lockChannel('n'), () => {});
        if (pubSub === backend.pubSub || canBeGiven) await pubSub.subscribe(clientsChannel('n'), () => {});
      }
      await expect(lock.release({ ...HOLDER, again })).resolves.toMatchObject(outcome);
      expect(await held()).toEqual(canBeGiven ? [entries[0]?.owner] : []);
    });

    it('goes around among three clients in order of arrival, each behind the others again', async () => {
      const { backend, lock, entries } = await heldWith(0, 1);
      await listen(backend, 2);
      const order: string[] = [];
      let again = { ...entryOf(lock, 2), onSettled: () => {} };
      await lock.release({ ...HOLDER, again });
      for (let turn = 1; turn <= 6; turn++) {
        const [owner = 'free:0'] = await held();
        order.push(owner.slice(0, owner.lastIndexOf(':')));
        const client = CLIENTS.findIndex((id) => owner.startsWith(id));
        again = { ...entryOf(lock, client, turn + 1), onSettled: () => {} };
        await expect(lock.release({ ...HOLDER, owner, again })).resolves.toEqual({ outcome: 'passed-on' });
      }
      expect(order).toEqual([...CLIENTS, ...CLIENTS]);
      expect(entries).toHaveLength(2);
    });
  });
});
