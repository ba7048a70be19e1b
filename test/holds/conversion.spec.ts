import type {
  ConversionOutcome,
  ConversionRequest,
  UpgradeOutcome,
} from '../../lib/backend/kinds/read-write/conversion.js';
import { OwnerIds } from '../../lib/context/owner-ids.js';
import type { Converting, LockKind } from '../../lib/holds/lock-kind.js';
import { Stopwatch } from '../../lib/time/scheduler.js';
import { AnsweredLock, Commands } from './answered-lock.js';
import { SuspendedClock } from './suspended-clock.js';
import {
  type ConnectionOptions,
  GONE,
  type GrantOptions,
  grantOn,
  lossesIn,
  openConnection,
  outcomeOf,
  TIMEOUT,
  unavailable,
} from './open-grant.js';

const UNCONFIRMED = 'its upgrade or downgrade was not confirmed';

/** A hold of a read lock, whose server the test plays. */
const openReading = ({ lease, place, ...options }: Pick<GrantOptions, 'lease' | 'place'> & ConnectionOptions = {}) => {
  const connection = openConnection(options);
  const { clock, scheduler, services, lock: reads } = connection;
  const writes = new AnsweredLock(scheduler);
  const upgrades = new Commands<ConversionRequest, UpgradeOutcome>('upgrade', scheduler, reads.log);
  const downgrades = new Commands<ConversionRequest, ConversionOutcome>('downgrade', scheduler, writes.log);
  const operations: Converting['operations'] = {
    upgrade: (request) => upgrades.send(request),
    downgrade: (request) => downgrades.send(request),
  };
  const owners = new OwnerIds();
  const acquirer: LockKind['acquirer'] = {
    acquire: () => Promise.reject(new Error('The lock is granted already')),
    settled: () => Promise.resolve(),
    contended: 0,
    waiters: () => [],
  };
  const read: Converting = { operations, owners, otherHalf: () => writing };
  const write: Converting = { operations, owners, otherHalf: () => ({ ...grant.kind }) };
  const writing: LockKind = { name: 'write', family: 'write', operations: writes, acquirer, converting: write };
  const kind = { renewsLeases: true, converting: read };
  const { grant, first: reading } = grantOn(services, reads, { family: 'read', lease, kind, ...(place && { place }) });
  const held = (): ConversionOutcome => ({ outcome: 'held', sent: new Stopwatch(scheduler) });
  /** Asks for an upgrade, and resolves when the request was sent. */
  const upgrading = async () => {
    const asked = reading.tryUpgrade();
    outcomeOf(asked);
    await clock.advance(0);
    const command = upgrades.next();
    const answer = (outcome: UpgradeOutcome): void => command.answer(outcome);
    const fail = (error: Error): void => command.fail(error);
    return { asked, request: command.request, answer, fail };
  };
  return { ...connection, reads, writes, upgrades, downgrades, grant, reading, held, upgrading };
};

describe('A hold whose upgrade is in flight', () => {
  it('D51: is to last for what the server has left of its lease after the machine was suspended', async () => {
    const clock = new SuspendedClock();
    const { held, upgrading, downgrades } = openReading({ lease: 60_000, clock });
    await clock.advance(1000);
    clock.suspend(40_000);
    const { asked, request, answer } = await upgrading();
    expect(request.lease).toBe(19_000);
    answer(held());
    const written = await asked;
    clock.suspend(10_000);
    outcomeOf(written?.downgrade() ?? Promise.resolve());
    await clock.advance(0);
    expect(downgrades.next().request.lease).toBe(9000);
  });

  it('is released meanwhile: what it has become is released once the reply is there', async () => {
    const { reading, held, upgrading, reads, writes, clock } = openReading();
    const { asked, request, answer } = await upgrading();
    const releasing = outcomeOf(reading.release());
    expect(reading.isReleased).toBe(true);
    answer(held());
    await expect(asked).resolves.toMatchObject({ isReleased: true });
    expect(writes.releases.requests).toMatchObject([{ owner: request.to }]);
    expect(releasing.end).toBe('pending');
    writes.releases.next().answer({ outcome: 'released' });
    await clock.advance(0);
    expect([releasing.end, reads.releases.requests]).toEqual(['released', []]);
  });

  it('sends its request only after the reply to a renewal, which comes too late for nothing', async () => {
    const { reading, reads, upgrades, held, clock, emitted } = openReading();
    await clock.advance(TIMEOUT / 3);
    expect(reads.renewals.pending).toBe(1);
    const asked = reading.tryUpgrade();
    await clock.advance(100);
    expect(upgrades.requests).toEqual([]);
    reads.answerRenewal(true);
    await clock.advance(0);
    upgrades.next().answer(held());
    await expect(asked).resolves.toMatchObject({ isHeld: true });
    expect(lossesIn(emitted)).toEqual([]);
  });

  it('was found gone by an inspection before: nothing is sent', async () => {
    const { grant, reading, reads, upgrades, clock } = openReading();
    const verifying = grant.verify();
    const asked = outcomeOf(reading.tryUpgrade());
    reads.answerInspection(0);
    await verifying;
    await clock.advance(0);
    expect(asked.end).toBe('LockLostError: gone');
    expect(upgrades.requests).toEqual([]);
  });

  it('is lost if it is unknown what became of it, which stops its work', async () => {
    const { reading, upgrading, reads, writes, clock, emitted } = openReading();
    const { asked, answer } = await upgrading();
    const reason = unavailable();
    const outcome = asked.catch((error: unknown) => error);
    answer({ outcome: 'unconfirmed', reason });
    await expect(outcome).resolves.toBe(reason);
    expect([reading.isHeld, reading.isReleased, reading.signal.aborted]).toEqual([false, false, true]);
    expect(lossesIn(emitted)).toEqual([UNCONFIRMED]);
    const releasing = outcomeOf(reading.release());
    reads.releases.next().answer({ outcome: 'not-held' });
    await clock.advance(2 * TIMEOUT);
    expect(releasing.end).toBe('expired');
    expect([reads.renewals.requests, writes.renewals.requests]).toEqual([[], []]);
  });

  it('stays if nothing was changed, and can be upgraded later', async () => {
    const { reading, upgrading, held } = openReading();
    const first = await upgrading();
    const failed = outcomeOf(first.asked);
    first.fail(unavailable());
    await expect(first.asked).rejects.toThrow('no reply');
    expect(failed.end).toBe('LockUnavailableError');
    reading.assertHeld();
    const second = await upgrading();
    expect(second.request.to).not.toBe(first.request.to);
    second.answer(held());
    await expect(second.asked).resolves.toMatchObject({ isHeld: true });
  });
});

describe('A hold that is to end by an upgrade or a downgrade', () => {
  it('is certain no longer than the lease of the writer, and again if others read', async () => {
    const { reading, upgrades, clock } = openReading();
    const asked = reading.tryUpgrade({ lease: 1000 });
    await clock.advance(0);
    expect(reading.remaining).toBeLessThan(1000);
    await clock.advance(1000);
    expect([reading.isHeld, reading.remaining]).toEqual([false, 0]);
    expect(() => reading.assertHeld()).toThrow(/is being upgraded, downgraded or detached/);
    upgrades.next().answer({ outcome: 'others', readers: 1 });
    await expect(asked).resolves.toBeNull();
    reading.assertHeld();
    expect(reading.remaining).toBeGreaterThan(20_000);
  });

  it('is not certain once the downgrade is sent, since others may read, and again if it was not', async () => {
    const { upgrading, held, downgrades, clock } = openReading();
    const { asked, answer } = await upgrading();
    answer(held());
    const writing = await asked;
    const downgrading = writing?.downgrade();
    await clock.advance(0);
    expect(writing?.isHeld).toBe(false);
    expect(() => writing?.assertHeld()).toThrow(/is being upgraded, downgraded or detached/);
    downgrades.next().fail(unavailable());
    await expect(downgrading).rejects.toThrow('no reply');
    writing?.assertHeld();
    expect(writing?.signal.aborted).toBe(false);
  });
});

describe('A hold that was upgraded', () => {
  it('D51: tells the code that has the signal of an earlier hold, once what that has become is lost', async () => {
    const { reading, upgrading, held, downgrades, clock, emitted } = openReading();
    const signals = [reading.signal];
    const { asked, answer } = await upgrading();
    answer(held());
    const writing = await asked;
    if (writing) signals.push(writing.signal);
    const downgrading = writing?.downgrade();
    await clock.advance(0);
    downgrades.next().answer(held());
    const again = await downgrading;
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    again?.grant.lease.lose('gone');
    expect(signals.map(({ reason }) => reason)).toEqual([again?.signal.reason, again?.signal.reason]);
    expect(lossesIn(emitted)).toEqual([GONE]);
  });
});
