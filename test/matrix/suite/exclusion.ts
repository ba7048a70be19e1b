import assert from 'node:assert/strict';
import type { ScopeName } from './cell.js';
import type { ApplicationUnderTest } from './application.js';
import { until } from './until.js';

/** An id as a client sends it. The pipe of the method converts it to the number. */
export const rawId = (id: number): string => ` 00${id}`;

export interface Exclusion {
  /** Causes a call of the method under test with this id. Need not wait for its end. */
  readonly call: (id: number) => Promise<unknown>;
  /** The argument that the method gets for an id. Default: the number. */
  readonly argument?: (id: number) => unknown;
  /** Nest's scope of the class. Checks the number of instances of `singleton` and `request`. Default: `singleton`. */
  readonly scope?: ScopeName | 'durable';
}

const SAME = [7, 7, 7, 7] as const;
const DIFFERENT = [1, 2, 3] as const;

/**
 * Checks every kind of method: its key is made of its argument, it runs under that lock, calls on one key never
 * overlap, calls on different keys do (otherwise the check before would show nothing), and all locks are free afterwards.
 */
export const checkExclusion = async (
  { probe, locks }: Pick<ApplicationUnderTest, 'probe' | 'locks'>,
  { call, argument = (id) => id, scope = 'singleton' }: Exclusion,
): Promise<void> => {
  const run = async (ids: readonly number[]): Promise<void> => {
    probe.calls = [];
    probe.peak = 0;
    await Promise.all(ids.map((id) => call(id)));
    await until(`${ids.length} calls`, () => probe.calls.length >= ids.length && probe.isIdle);
    const expected = ids.map((id) => ({ argument: argument(id), held: `order:${id}` }));
    const inOrder = probe.calls.toSorted((a, b) => String(a.held).localeCompare(String(b.held)));
    assert.deepEqual(inOrder, expected, 'the key is made of the argument, and its lock is held inside');
  };
  await run(SAME);
  assert.equal(probe.peak, 1, 'calls on one key do not overlap');
  if (scope === 'request') assert.ok(probe.instances >= SAME.length, 'each call has an instance of its own');
  else if (scope === 'singleton') assert.equal(probe.instances, 1, 'all calls have one instance');
  await run(DIFFERENT);
  assert.ok(probe.peak > 1, 'calls on different keys run side by side');
  await checkFree(locks, ...SAME, ...DIFFERENT);
};

/** Checks that locks are free. A release may come shortly after the answer that a client gets. */
export const checkFree = async (locks: ApplicationUnderTest['locks'], ...ids: readonly number[]): Promise<void> => {
  for (const id of ids) {
    await until(`order:${id} is free`, async () => !(await locks.getLock(`order:${id}`).isLocked()));
  }
};
