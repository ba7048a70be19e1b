import { PerOwnerQueue } from '../../lib/backend/quorum/quorum-node.js';
import { busy, FORBIDDEN, NOT_SENT, outcomeOf, REFUSED, scriptedNodes, UNKNOWN, WRONG_TYPE } from './scripted-nodes.js';

const A = { name: 'n', owner: 'a:1', lease: 1000 };
const B = { name: 'n', owner: 'b:1', lease: 1000 };
/** The longest time until an unanswered acquisition of {@link A} is undone, ms. */
const UNDONE_MS = 2 * A.lease + 1000;

describe('A queue of the requests of each owner', () => {
  it.each(['succeeds', 'fails'])('keeps nothing about an owner whose last request %s', async (how) => {
    const queue = new PerOwnerQueue();
    const work = async (): Promise<void> => {
      if (how === 'fails') throw new Error('refused');
    };
    await Promise.allSettled([queue.run(['a:1', 'b:1'], work), queue.run(['a:1'], work)]);
    expect(Reflect.get(queue, 'last')).toEqual(new Map());
  });
});

describe('A node of a quorum', () => {
  const openNode = () => {
    const { clock, backends, nodes, reply, acquired } = scriptedNodes(1);
    const [node] = nodes;
    const [backend] = backends;
    if (!node || !backend) throw new Error('There is no node');
    return { clock, node, backend, acquired, reply: (what: string, answer: unknown) => reply(0, what, answer) };
  };
  type Bench = ReturnType<typeof openNode>;

  it.each([
    { request: 'hold', ask: ({ node }: Bench) => node.hold({ ...A, count: 2 }) },
    { request: 'renew', ask: ({ node }: Bench) => node.renew([A]) },
    { request: 'leaveBehind', ask: ({ node }: Bench) => node.leaveBehind({ ...A, keep: 10 }) },
    { request: 'release', ask: ({ node }: Bench) => node.release(A) },
    { request: 'releaseSilently', ask: ({ node }: Bench) => node.release({ ...A, silent: true }) },
    { request: 'inspect', ask: ({ node }: Bench) => node.inspect('n', 'a:1') },
    { request: 'acquire', ask: ({ node }: Bench) => node.acquire(A) },
  ])('is sent a $request only after the acquisition of that owner before it was answered', async ({ request, ask }) => {
    const bench = openNode();
    const { clock, node, backend, reply, acquired } = bench;
    outcomeOf(node.acquire(A));
    outcomeOf(ask(bench));
    await clock.advance(60_000);
    expect(backend.log).toEqual(['acquire n a:1']);
    reply('acquire', acquired());
    await clock.advance(0);
    expect(backend.log).toHaveLength(2);
    expect(backend.log[1]).toContain(request);
  });

  it.each([
    { said: 'nothing', error: UNKNOWN, isUndone: true },
    { said: 'that it was not sent', error: NOT_SENT, isUndone: false },
    { said: 'that it was refused', error: REFUSED, isUndone: false },
    { said: 'that it is forbidden', error: FORBIDDEN, isUndone: false },
    { said: 'a type error', error: WRONG_TYPE, isUndone: false },
    { said: 'busy', error: busy('b:1'), isUndone: false },
  ])('has an acquisition undone ($isUndone) after the reply: $said', async ({ error, isUndone }) => {
    const { clock, node, reply } = openNode();
    const acquiring = outcomeOf(node.acquire(A));
    expect(node.isUndone('a:1')).toBe(false);
    reply('acquire', error);
    await clock.advance(0);
    expect(acquiring).toEqual({ state: error instanceof Error ? 'rejected' : 'resolved', value: error });
    expect(node.isUndone('a:1')).toBe(isUndone);
    expect(node.isUndone('b:1')).toBe(false);
  });

  it('does not count the holds of an owner until its unanswered acquisition is certainly undone', async () => {
    const { clock, node, backend, reply } = openNode();
    const held = { outcome: 'held' };
    outcomeOf(node.acquire(A));
    // This hold is sent before the acquisition is known to have no answer.
    const queued = outcomeOf(node.hold({ ...A, count: 2 }));
    reply('acquire', UNKNOWN);
    await clock.advance(0);
    reply('hold', held);
    await clock.advance(0);
    expect(queued.value).toEqual({ outcome: 'lost' });
    for (const [later, isCounted] of [
      [UNDONE_MS - 1, false],
      [1, true],
    ] as const) {
      await clock.advance(later);
      const holding = outcomeOf(node.hold({ ...A, count: 2 }));
      await clock.advance(0);
      reply('hold', held);
      const renewing = outcomeOf(node.renew([A, B]));
      await clock.advance(0);
      reply('renew', { held: [true, true] });
      const leaving = outcomeOf(node.leaveBehind({ ...A, keep: 10 }));
      await clock.advance(0);
      reply('leaveBehind', true);
      const releasing = outcomeOf(node.release(A));
      await clock.advance(0);
      reply('release', { outcome: 'released' });
      await clock.advance(0);
      expect(holding.value).toEqual(isCounted ? held : { outcome: 'lost' });
      expect(renewing.value).toEqual([isCounted, true]);
      expect(leaving.value).toBe(isCounted);
      expect(releasing.value).toEqual({ outcome: 'released' });
    }
    expect(backend.unanswered).toBe(0);
  });
});
