import { LockAbortedError, LockConflictError } from '../../lib/standalone.js';
import { caught } from '../kit/caught.js';
import { onMasters } from '../kit/redlock-world.js';

/** The words of `withLock` and `acquire` with `kind: 'redLock'`. */
onMasters(3, (world) => {
  const kind = 'redLock';

  describe('The kind redLock', () => {
    it('holds the lock of getRedLock() on all masters while the callback runs, and re-enters it', async () => {
      // A master whose vote came too late, on a busy machine, gets the lock with the next renewal.
      const renewedLease = 3000;
      const { locks } = await world.open({ renewedLease });
      await locks.withLock('n', { kind }, async ({ owner }) => {
        const isEverywhere = async () => (await world.holders('n')).every((holder) => holder === owner);
        await world.time.until(isEverywhere, renewedLease);
        await locks.withLock('n', { kind }, (inner) => expect(inner.owner).toBe(owner));
        await locks.getRedLock('n').withLock((inner) => expect(inner.owner).toBe(owner));
      });
      await world.free('n', 500);
    });

    it('lets no other process in, and leaves out a call with onConflict', async () => {
      const [here, there] = [await world.open(), await world.open()];
      const hold = await here.locks.acquire('n', { kind });
      await expect(there.locks.tryAcquire('n', { kind })).resolves.toBeNull();
      await caught(there.locks.acquire('n', { kind, wait: 0 }), LockConflictError);
      await expect(there.locks.withLock('n', { kind, onConflict: 'skip' }, () => 'in')).resolves.toBeUndefined();
      await hold.release();
      await expect(there.locks.withLock('n', { kind, onConflict: 'skip' }, () => 'in')).resolves.toBe('in');
    });

    it('keeps the lock for holdAtLeast, and ends a wait when the signal of the caller aborts', async () => {
      const [here, there] = [await world.open(), await world.open()];
      await here.locks.withLock('n', { kind, holdAtLeast: '20s' }, () => {});
      await world.time.until(async () => (await world.ttls('n')).every((ttl) => ttl > 15_000), 500);
      const leaving = new AbortController();
      const waiting = caught(
        there.locks.withLock('n', { kind, wait: '20s', signal: leaving.signal }, () => {}),
        LockAbortedError,
      );
      const reason = new Error('the caller has gone');
      leaving.abort(reason);
      expect((await waiting).cause).toBe(reason);
    });
  });
});
