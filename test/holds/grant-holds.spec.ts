import { GrantHolds } from '../../lib/holds/grant-holds.js';
import type { GrantedHold } from '../../lib/holds/granted-hold.js';
import { HoldAgeCheck, type HoldAgeWarning } from '../../lib/holds/hold-age-check.js';
import { Stopwatch } from '../../lib/time/scheduler.js';
import { SuspendedClock } from './suspended-clock.js';
import { openGrant, TIMEOUT } from './open-grant.js';

/** Holds of a grant that is 1000 ms old. */
const setUp = async ({ maxHold = Infinity } = {}) => {
  const { clock, scheduler, newHold } = openGrant();
  const holds = new GrantHolds(new Stopwatch(scheduler), TIMEOUT, maxHold);
  /** Adds a hold with this lease, or without a lease. */
  const add = (lease?: number): GrantedHold => {
    const hold = newHold();
    holds.set(hold, holds.termOf(lease));
    return hold;
  };
  await clock.advance(1000);
  return { clock, holds, add };
};

describe('The term of a hold', () => {
  it.each([
    { lease: undefined, maxHold: Infinity, end: Infinity, isWatched: true },
    { lease: undefined, maxHold: 60_000, end: 60_000, isWatched: true },
    { lease: 5000, maxHold: 60_000, end: 6000, isWatched: false },
    { lease: 90_000, maxHold: 60_000, end: 91_000, isWatched: false },
  ])('with a lease of $lease ms and maxHold $maxHold ends at $end', async ({ lease, maxHold, end, isWatched }) => {
    const { holds } = await setUp({ maxHold });
    expect(holds.termOf(lease)).toEqual({ end, isWatched });
  });
});

describe('The holds of a grant', () => {
  it.each([
    { leases: [], needed: 1, left: -Infinity, isWatched: false },
    { leases: [undefined], needed: TIMEOUT, left: Infinity, isWatched: true },
    { leases: [5000], needed: 5000, left: 5000, isWatched: false },
    { leases: [5000, 60_000, 7000], needed: 60_000, left: 60_000, isWatched: false },
    { leases: [5000, undefined], needed: TIMEOUT, left: Infinity, isWatched: true },
    { leases: [60_000, undefined], needed: 60_000, left: Infinity, isWatched: true },
  ])('with leases of $leases ms need $needed ms', async ({ leases, needed, left, isWatched }) => {
    const { holds, add } = await setUp();
    for (const lease of leases) add(lease);
    expect(holds.count).toBe(leases.length);
    expect(holds.needed()).toBe(needed);
    expect(holds.left).toBe(left);
    expect(holds.isWatched).toBe(isWatched);
    expect(holds.isLasting).toBe(left > 0);
  });

  it.each([
    { leases: [5000], entering: 7000, needed: 7000 },
    { leases: [5000], entering: 3000, needed: 5000 },
    { leases: [5000], entering: undefined, needed: TIMEOUT },
    { leases: [60_000], entering: undefined, needed: 60_000 },
  ])('with leases of $leases ms and one of $entering ms on its way need $needed ms', async (row) => {
    const { holds, add } = await setUp();
    for (const lease of row.leases) add(lease);
    expect(holds.needed(holds.termOf(row.entering))).toBe(row.needed);
    expect(holds.count).toBe(row.leases.length);
  });
});

describe('The minimum hold of a grant', () => {
  it.each([
    { asked: [], left: 0, needed: 2000 },
    { asked: [5000], left: 5000, needed: 5000 },
    { asked: [5000, 3000], left: 5000, needed: 5000 },
    { asked: [3000, 5000], left: 5000, needed: 5000 },
    { asked: [1000], left: 1000, needed: 2000 },
  ])('is the longest requested: of $asked ms, $left ms', async ({ asked, left, needed }) => {
    const { holds, add } = await setUp();
    add(2000);
    for (const ms of asked) holds.holdAtLeast(ms);
    expect(holds.minHoldLeft).toBe(left);
    expect(holds.needed()).toBe(needed);
  });
});

describe('The check of the age of a grant', () => {
  const checked = async (maxHold: number, lease?: number) => {
    const { clock, holds, add } = await setUp({ maxHold });
    const age = new HoldAgeCheck(holds);
    const hold = add(lease);
    /** The warnings at an age, and at a second check. */
    const at = async (ms: number): Promise<readonly (HoldAgeWarning | undefined)[]> => {
      await clock.advance(ms - holds.age);
      return [age.check(), age.check()];
    };
    return { holds, age, hold, at };
  };

  it('reports once that a grant without maxHold is held for five minutes', async () => {
    const { age, at } = await checked(Infinity);
    await expect(at(299_999)).resolves.toEqual([undefined, undefined]);
    await expect(at(300_000)).resolves.toEqual(['long-hold', undefined]);
    await expect(at(900_000)).resolves.toEqual([undefined, undefined]);
    expect(age.isOver).toBe(false);
  });

  it('reports once that a grant had its last renewal before maxHold, and never that it is held for long', async () => {
    const { age, at } = await checked(600_000);
    await expect(at(300_000)).resolves.toEqual([undefined, undefined]);
    await expect(at(579_999)).resolves.toEqual([undefined, undefined]);
    expect(age.isOver).toBe(false);
    await expect(at(580_000)).resolves.toEqual(['max-hold-reached', undefined]);
    expect(age.isOver).toBe(true);
    await expect(at(600_000)).resolves.toEqual([undefined, undefined]);
  });

  it.each([Infinity, 60_000])('reports nothing for a grant without the watchdog (maxHold %p)', async (maxHold) => {
    const { age, at } = await checked(maxHold, 400_000);
    await expect(at(400_000)).resolves.toEqual([undefined, undefined]);
    expect(age.isOver).toBe(false);
  });
});

describe('D51: a suspension of the machine', () => {
  it('counts for all that is left of the holds of a grant, and not for its minimum: the wall clock may have been set', async () => {
    const clock = new SuspendedClock();
    const { scheduler, newHold } = openGrant({ clock });
    const holds = new GrantHolds(new Stopwatch(scheduler), TIMEOUT, 60_000);
    holds.holdAtLeast(30_000);
    const hold = newHold();
    holds.set(hold, holds.termOf(50_000));
    await clock.advance(1000);
    clock.suspend(20_000);
    expect(holds).toMatchObject({ age: 21_000, left: 29_000, minHoldLeft: 29_000 });
    expect(holds.needed()).toBe(29_000);
    // The lease of a hold that begins now is not shortened by what was before.
    expect(holds.needed(holds.termOf(40_000))).toBe(40_000);
    holds.set(hold, holds.termOf(undefined));
    expect(holds.left).toBe(39_000);
  });
});
