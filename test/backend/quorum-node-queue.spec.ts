import { PerOwnerQueue } from '../../lib/backend/quorum/quorum-node.js';
import { heldBack, outcomeOf, REFUSED } from './scripted-nodes.js';

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

/** A queue by owner, whose works have names, and begin and end as the test says. */
const openQueue = () => {
  const queue = new PerOwnerQueue();
  const begun: string[] = [];
  const works = new Map<string, ReturnType<typeof heldBack<string>>>();
  const run = (name: string, ...owners: string[]) => {
    const work = heldBack<string>();
    works.set(name, work);
    return outcomeOf(
      queue.run(owners, () => {
        begun.push(name);
        return work.promise;
      }),
    );
  };
  const end = async (name: string, error?: Error): Promise<void> => {
    if (error) works.get(name)?.reject(error);
    else works.get(name)?.resolve(`${name} done`);
    await turns();
  };
  return { begun, run, end };
};

describe('A queue by owner', () => {
  it('begins work at once, in the turn of the call, if no work of the owner is in flight', () => {
    const { begun, run } = openQueue();
    run('first', 'a');
    run('other', 'b');
    expect(begun).toEqual(['first', 'other']);
  });

  it.each([undefined, REFUSED])('begins the next work of an owner when the one before ended with %p', async (error) => {
    const { begun, run, end } = openQueue();
    const first = run('first', 'a');
    const second = run('second', 'a');
    const third = run('third', 'a');
    await turns();
    expect(begun).toEqual(['first']);
    await end('first', error);
    expect(begun).toEqual(['first', 'second']);
    expect(first).toEqual(error ? { state: 'rejected', value: error } : { state: 'resolved', value: 'first done' });
    expect(third.state).toBe('pending');
    await end('second');
    await end('third');
    expect(second).toEqual({ state: 'resolved', value: 'second done' });
    expect(third).toEqual({ state: 'resolved', value: 'third done' });
  });

  it('begins common work of several owners once all earlier work of each has ended', async () => {
    const { begun, run, end } = openQueue();
    run('of a', 'a');
    run('of b', 'b');
    run('of both', 'a', 'b');
    await end('of b');
    expect(begun).toEqual(['of a', 'of b']);
    await end('of a');
    expect(begun).toEqual(['of a', 'of b', 'of both']);
  });

  it('has each of several owners wait for their common work, and no other owner', async () => {
    const { begun, run, end } = openQueue();
    run('of both', 'a', 'b');
    run('of a', 'a');
    run('of b', 'b');
    run('of c', 'c');
    expect(begun).toEqual(['of both', 'of c']);
    await end('of both');
    expect(begun).toEqual(['of both', 'of c', 'of a', 'of b']);
  });

  it('does not have work wait for itself where an owner is named twice', async () => {
    const { begun, run, end } = openQueue();
    const twice = run('twice', 'a', 'a');
    run('next', 'a');
    await end('twice');
    expect(twice.state).toBe('resolved');
    expect(begun).toEqual(['twice', 'next']);
  });

  it('forgets an owner whose work has ended: the next begins in the turn of the call', async () => {
    const { begun, run, end } = openQueue();
    run('first', 'a');
    run('second', 'a');
    await end('first');
    await end('second', REFUSED);
    run('third', 'a');
    expect(begun).toEqual(['first', 'second', 'third']);
  });

  it('keeps the order where the earlier of two works ends while the later is under way', async () => {
    const { begun, run, end } = openQueue();
    run('first', 'a');
    run('second', 'a');
    await end('first');
    run('third', 'a');
    await turns();
    expect(begun).toEqual(['first', 'second']);
    await end('second');
    expect(begun).toEqual(['first', 'second', 'third']);
  });
});
