import { ListNode } from '../../lib/linked-list.js';
import { GrantRegistry } from '../../lib/holds/grant-registry.js';
import { outcomeOf } from './open-grant.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';

class Held extends ListNode<Held> {}

describe('The registry of grants', () => {
  const setUp = (count: number) => {
    const registry = new GrantRegistry<Held>();
    const grants = Array.from({ length: count }, () => new Held());
    for (const grant of grants) registry.add(grant);
    return { registry, grants, clock: new ManualClock() };
  };

  it('lists the held grants in the order of granting', () => {
    const { registry, grants } = setUp(3);
    expect([...registry]).toEqual(grants);
    expect(registry.size).toBe(3);
  });

  it('lists the others when one ends while they are listed', () => {
    const { registry, grants } = setUp(3);
    const listed: Held[] = [];
    for (const grant of registry) {
      listed.push(grant);
      registry.delete(grant);
    }
    expect(listed).toEqual(grants);
    expect(registry.size).toBe(0);
  });

  it('is empty at once without grants', async () => {
    const { registry } = setUp(0);
    await expect(registry.whenEmpty()).resolves.toBeUndefined();
  });

  it('resolves every wait when the last grant ends, and not before', async () => {
    const { registry, grants, clock } = setUp(2);
    const waits = [registry.whenEmpty(), registry.whenEmpty()].map(outcomeOf);
    for (const [ended, end] of [
      [grants[1], 'pending'],
      // A grant that has ended does not count a second time.
      [grants[1], 'pending'],
      [grants[0], undefined],
    ] as const) {
      if (ended) registry.delete(ended);
      await clock.advance(0);
      expect(waits.map((wait) => wait.end)).toEqual([end, end]);
    }
  });

  it('resolves a wait the next time that nothing is held, also if a lock was granted meanwhile', async () => {
    const { registry, grants, clock } = setUp(1);
    const waiting = outcomeOf(registry.whenEmpty());
    const next = new Held();
    registry.add(next);
    for (const grant of grants) registry.delete(grant);
    await clock.advance(0);
    expect(waiting.end).toBe('pending');
    registry.delete(next);
    await clock.advance(0);
    expect(waiting.end).toBeUndefined();
  });

  it('that was empty once makes later waits include new grants', async () => {
    const { registry, grants, clock } = setUp(1);
    for (const grant of grants) registry.delete(grant);
    const next = new Held();
    registry.add(next);
    const waiting = outcomeOf(registry.whenEmpty());
    await clock.advance(0);
    expect(waiting.end).toBe('pending');
    registry.delete(next);
    await clock.advance(0);
    expect(waiting.end).toBeUndefined();
  });
});
