import assert from 'node:assert/strict';
import type { ScopeName } from './cell.js';
import type { Stage } from './stage.js';
import { until } from './until.js';

/** What a client sends as an id; the pipe beside the method makes the number of it. */
export const rawId = (id: number): string => ` 00${id}`;

export interface Exclusion {
  /** Has the method under test called with this id. Need not wait for its end. */
  readonly call: (id: number) => Promise<unknown>;
  /** What the method gets as its argument for an id. Default: the number. */
  readonly argument?: (id: number) => unknown;
  /** How long Nest keeps an instance; how many there are is checked for the first two. Default: `singleton`. */
  readonly scope?: ScopeName | 'durable';
}

const SAME = [7, 7, 7, 7] as const;
const DIFFERENT = [1, 2, 3] as const;

/**
 * What is asked of every kind of method: its key is made of its argument, it runs under that lock, calls on one key never
 * overlap, calls on others do (else the one before would show nothing), and all is free afterwards.
 */
export const checkExclusion = async (
  { room, locks }: Pick<Stage, 'room' | 'locks'>,
  { call, argument = (id) => id, scope = 'singleton' }: Exclusion,
): Promise<void> => {
  const run = async (ids: readonly number[]): Promise<void> => {
    room.visits = [];
    room.peak = 0;
    await Promise.all(ids.map((id) => call(id)));
    await until(`${ids.length} visits`, () => room.visits.length >= ids.length && room.isEmpty);
    const expected = ids.map((id) => ({ argument: argument(id), held: `order:${id}` }));
    const inOrder = room.visits.toSorted((a, b) => String(a.held).localeCompare(String(b.held)));
    assert.deepEqual(inOrder, expected, 'the key is made of the argument, and its lock is held inside');
  };
  await run(SAME);
  assert.equal(room.peak, 1, 'calls on one key do not overlap');
  if (scope === 'request') assert.ok(room.instances >= SAME.length, 'each call has an instance of its own');
  else if (scope === 'singleton') assert.equal(room.instances, 1, 'all calls have one instance');
  await run(DIFFERENT);
  assert.ok(room.peak > 1, 'calls on different keys run side by side');
  await checkFree(locks, ...SAME, ...DIFFERENT);
};

/** A release may come a moment after the answer that a client sees. */
export const checkFree = async (locks: Stage['locks'], ...ids: readonly number[]): Promise<void> => {
  for (const id of ids) {
    await until(`order:${id} is free`, async () => !(await locks.getLock(`order:${id}`).isLocked()));
  }
};
