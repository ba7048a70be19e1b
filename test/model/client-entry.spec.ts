import type { Budget } from '../waiting/entry-events.js';
import { EntryWorld } from '../waiting/entry-world.js';

/** A sequence of events, and the rules that it breaks. */
interface Found {
  readonly events: readonly string[];
  readonly broken: readonly string[];
}

/** Everything that can happen, in every order, breadth first: the first sequence that breaks a rule is a shortest one. */
const explore = async (budget: Budget): Promise<{ readonly states: number; readonly found: Found | undefined }> => {
  const after = async (events: readonly string[]): Promise<EntryWorld> => {
    const world = await EntryWorld.open(budget);
    for (const event of events) await world.happen(event);
    return world;
  };
  const seen = new Set<string>();
  const left: (readonly string[])[] = [[]];
  // The list grows meanwhile.
  for (const events of left) {
    const world = await after(events);
    const { violations: broken } = world.records;
    const isNew = broken.length > 0 || !seen.has(world.key);
    if (!isNew) continue;
    seen.add(world.key);
    for (const event of world.possible.keys()) left.push([...events, event]);
    await world.end();
    if (broken.length > 0) return { states: seen.size, found: { events, broken } };
  }
  return { states: seen.size, found: undefined };
};

describe('The entry of a client, in every order of events', () => {
  it.each<readonly [what: string, Budget]>([
    ['two attempts', { attempts: 2, messages: 2, withdrawals: 1, releases: 0, isBrief: false }],
    ['attempts', { attempts: 3, messages: 1, withdrawals: 1, releases: 0, isBrief: true }],
    ['a release', { attempts: 2, messages: 1, withdrawals: 1, releases: 1, isBrief: true }],
    ['a release, two messages', { attempts: 1, messages: 2, withdrawals: 1, releases: 1, isBrief: true }],
    ['two releases', { attempts: 1, messages: 1, withdrawals: 1, releases: 2, isBrief: true }],
  ])('(%s) is granted once at most, and withdrawn if it was not', async (_, budget) => {
    const { states, found } = await explore(budget);
    expect(found).toBeUndefined();
    expect(states).toBeGreaterThan(300);
  });
});
