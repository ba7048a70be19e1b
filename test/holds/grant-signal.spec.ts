import { LockLostError, LockShutdownError } from '../../lib/errors.js';
import { GONE, lossesIn, openGrant } from './open-grant.js';

describe('The signal of a grant', () => {
  it('keeps the reason of a shutdown when the grant is lost after it, and assertHeld() names the loss', () => {
    const { grant, emitted } = openGrant();
    const shutdown = new LockShutdownError('closing');
    grant.abort(shutdown);
    expect(() => grant.assertHeld()).not.toThrow();
    grant.lease.lose('gone');
    expect(grant.signal.reason).toBe(shutdown);
    expect(() => grant.assertHeld()).toThrow(GONE);
    expect(lossesIn(emitted)).toEqual([GONE]);
  });

  it('keeps the reason of a loss when the application shuts down after it', () => {
    const { grant } = openGrant();
    grant.lease.lose('gone');
    grant.abort(new LockShutdownError('closing'));
    expect(grant.signal.reason).toBeInstanceOf(LockLostError);
  });

  it('does not abort by a release, after which assertHeld() says that the lock was released', async () => {
    const { lock, grant, first, emitted } = openGrant();
    const releasing = first.release();
    expect(() => grant.assertHeld()).toThrow('it was already released');
    lock.releases.next().answer({ outcome: 'released' });
    await releasing;
    expect(() => grant.assertHeld()).toThrow('it was already released');
    expect(grant.signal.aborted).toBe(false);
    expect(emitted).toEqual([]);
  });
});
