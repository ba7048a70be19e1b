import type { LockBackend } from '../../lib/backend/lock-backend.js';
import type { HoldOutcome } from '../../lib/backend/lock-operations.js';
import type { TakeOverRequest } from '../../lib/backend/kinds/lock/take-over.js';
import { LockLostError, LockOwnershipError, LockUnavailableError } from '../../lib/errors.js';
import { GrantedHold } from '../../lib/holds/granted-hold.js';
import { ownerOfSecret, parseToken } from '../../lib/holds/detaching/hold-token.js';
import { Commands } from './answered-lock.js';
import { GONE, grantOn, lossesIn, openConnection, TIMEOUT } from './open-grant.js';

const failure = (outcome: LockUnavailableError['outcome']): LockUnavailableError =>
  new LockUnavailableError('it failed', outcome, false);

/** A hold that can be detached, whose requests the test answers. */
const openHold = () => {
  const connection = openConnection();
  const detachments = new Commands<TakeOverRequest, HoldOutcome>('detach', connection.scheduler, []);
  const operations: LockBackend['takeOver'] = {
    detach: (request) => detachments.send(request),
    attach: () => Promise.reject(new Error('Nothing is attached')),
  };
  const kind = { detaching: { kind: 'plain', connection: 'default', operations } } as const;
  const { grant, first } = grantOn(connection.services, connection.lock, { kind });
  /** Asks for a token, and resolves when the request was sent. */
  const detaching = async () => {
    const asked = first.detach();
    asked.catch(() => {});
    await connection.clock.advance(0);
    return { asked, command: detachments.next() };
  };
  return { ...connection, grant, hold: first, detaching };
};

describe('A hold that is detached', () => {
  it('has ended, and nothing is released', async () => {
    const { hold, detaching, lock, services } = openHold();
    const { asked, command } = await detaching();
    command.answer({ outcome: 'held', sent: command.sent });
    expect(ownerOfSecret(parseToken(await asked).secret)).toBe(command.request.to);
    expect([hold.isHeld, hold.isReleased]).toEqual([false, true]);
    await expect(hold.release()).resolves.toBe('still-held');
    expect(lock.log).toEqual([]);
    expect([...services.grants]).toEqual([]);
  });

  it('is not certain while the request is in flight, and is not renewed', async () => {
    const { hold, detaching, lock, clock } = openHold();
    const { asked, command } = await detaching();
    expect([hold.isHeld, hold.isReleased]).toEqual([false, false]);
    expect(() => hold.assertHeld()).toThrow(/is being upgraded, downgraded or detached/);
    await expect(hold.detach()).rejects.toThrow(LockLostError);
    await clock.advance(TIMEOUT / 2);
    expect(lock.log).toEqual([]);
    command.fail(failure('unknown'));
    await expect(asked).rejects.toThrow('it failed');
  });

  it('is refused at once while a re-entry is in flight', async () => {
    const { grant, hold, lock, clock } = openHold();
    const joining = grant.reenter(new GrantedHold(grant, 'manual', 0), undefined);
    let error: unknown;
    hold.detach().catch((reason: unknown) => (error = reason));
    await clock.advance(0);
    expect(error).toBeInstanceOf(LockOwnershipError);
    lock.answerHeld();
    await expect(joining).resolves.toBe(true);
  });

  it('is released by a release in the meantime only if it was not detached', async () => {
    const { hold, detaching, lock } = openHold();
    const { asked, command } = await detaching();
    const released = hold.release();
    command.answer({ outcome: 'held', sent: command.sent });
    await asked;
    await expect(released).resolves.toBe('still-held');
    expect(lock.log).toEqual([]);
  });

  it.each(['not-sent', 'refused'] as const)('is as before if the request was %s', async (outcome) => {
    const { hold, detaching, lock, clock, emitted } = openHold();
    const { asked, command } = await detaching();
    command.fail(failure(outcome));
    await expect(asked).rejects.toThrow('it failed');
    hold.assertHeld();
    expect(hold.isReleased).toBe(false);
    await clock.advance(TIMEOUT / 2);
    lock.answerRenewal(true);
    await clock.advance(TIMEOUT / 2);
    hold.assertHeld();
    expect(emitted).toEqual([]);
    const released = hold.release();
    lock.releases.next().answer({ outcome: 'released' });
    await expect(released).resolves.toBe('released');
  });

  it('can be detached again if the request was refused', async () => {
    const { detaching } = openHold();
    const first = await detaching();
    first.command.fail(failure('refused'));
    await expect(first.asked).rejects.toThrow('it failed');
    const { asked, command } = await detaching();
    expect(command.request.to).not.toBe(first.command.request.to);
    command.answer({ outcome: 'held', sent: command.sent });
    await expect(asked).resolves.toEqual(expect.any(String));
  });

  it('is released after a request that was refused, if a release was asked for in the meantime', async () => {
    const { hold, detaching, lock, clock } = openHold();
    const { asked, command } = await detaching();
    const released = hold.release();
    command.fail(failure('refused'));
    await expect(asked).rejects.toThrow('it failed');
    await clock.advance(0);
    lock.releases.next().answer({ outcome: 'released' });
    await expect(released).resolves.toBe('released');
  });

  it('has ended if the outcome is unknown: nothing is released, since the next owner may have it', async () => {
    const { hold, detaching, lock, services } = openHold();
    const { asked, command } = await detaching();
    command.fail(failure('unknown'));
    await expect(asked).rejects.toThrow('it failed');
    expect([hold.isHeld, hold.isReleased]).toEqual([false, true]);
    await expect(hold.release()).resolves.toBe('expired');
    expect(lock.log).toEqual([]);
    expect([...services.grants]).toEqual([]);
  });

  it('was lost if the server does not have it', async () => {
    const { hold, detaching, emitted } = openHold();
    const { asked, command } = await detaching();
    command.answer({ outcome: 'lost' });
    await expect(asked).rejects.toThrow(LockLostError);
    expect(lossesIn(emitted)).toEqual([GONE]);
    await expect(hold.release()).resolves.toBe('expired');
  });
});
