import type { Renewal } from '../../lib/backend/lock-operations.js';
import { Ballot } from '../../lib/backend/quorum/ballot.js';
import { HoldRepair } from '../../lib/backend/quorum/quorum-lock.js';
import { busy, FORBIDDEN, NOT_SENT, outcomeOf, scriptedNodes, UNKNOWN, WRONG_TYPE } from './scripted-nodes.js';

const LEASE = 1000;
const renewalOf = (name: string, owner = `${name}:1`): Renewal => ({ name, owner, lease: LEASE });
const [X, Y, Z] = [renewalOf('x'), renewalOf('y'), renewalOf('z')];

/** A round of renewals on three nodes, whose answers the test gives. */
const openRound = (renewals: readonly Renewal[], isKept: readonly boolean[] = renewals.map(() => true)) => {
  const bench = scriptedNodes(3);
  const repair = new HoldRepair();
  const round = repair.begin(renewals);
  const ballot = new Ballot(bench.nodes, (node) => node.renew(renewals));
  const running = outcomeOf(round.run(ballot, (index) => isKept[index] === true));
  /** The acquisitions that the repair has sent to a node. */
  const taken = (index: number): string[] =>
    (bench.backends[index]?.log ?? []).filter((asked) => asked.startsWith('acq'));
  /** Answers the renewals node by node: for each hold whether the node has it, or an error. */
  const answer = async (...replies: (readonly boolean[] | Error)[]): Promise<void> => {
    for (const [index, reply] of replies.entries()) {
      bench.reply(index, 'renew', reply instanceof Error ? reply : { held: reply });
    }
    await bench.clock.advance(0);
  };
  const took = async (index: number, reply: unknown = bench.acquired()): Promise<void> => {
    bench.reply(index, 'acquire', reply);
    await bench.clock.advance(0);
  };
  return { ...bench, repair, running, taken, answer, took };
};

describe('A repair', () => {
  it('acquires a hold again on the node that lacks it, then ends', async () => {
    const { taken, answer, took, running } = openRound([X]);
    await answer([false], [true], [true]);
    expect([0, 1, 2].map(taken)).toEqual([['acquire x x:1'], [], []]);
    expect(running.state).toBe('pending');
    await took(0);
    expect(running.state).toBe('resolved');
  });

  it('acquires nothing if every node has all holds', async () => {
    const { taken, answer, running } = openRound([X, Y]);
    await answer([true, true], [true, true], [true, true]);
    expect([0, 1, 2].flatMap(taken)).toEqual([]);
    expect(running.state).toBe('resolved');
  });

  it('acquires nothing before the slowest node has answered or failed', async () => {
    for (const last of [[true], UNKNOWN]) {
      const { taken, answer, reply, clock } = openRound([X]);
      await answer([false], [true]);
      await clock.advance(5000);
      expect(taken(0)).toEqual([]);
      reply(2, 'renew', last instanceof Error ? last : { held: last });
      await clock.advance(0);
      expect(taken(0)).toEqual(['acquire x x:1']);
    }
  });

  it.each([UNKNOWN, NOT_SENT, FORBIDDEN])('asks nothing of a node that failed to renew with %p', async (error) => {
    const { taken, answer, running } = openRound([X]);
    await answer(error, [true], [true]);
    expect(taken(0)).toEqual([]);
    expect(running.state).toBe('resolved');
  });

  it('acquires only holds that a quorum has renewed', async () => {
    const { taken, answer } = openRound([X, Y, Z], [true, false, true]);
    await answer([true, false, false], [true, true, true], [true, true, true]);
    expect(taken(0)).toEqual(['acquire z z:1']);
  });

  it('acquires holds on one node one after the other, and on several nodes at the same time', async () => {
    const { taken, answer, took, running } = openRound([X, Y]);
    await answer([false, false], [false, false], [true, true]);
    expect([taken(0), taken(1)]).toEqual([['acquire x x:1'], ['acquire x x:1']]);
    await took(1);
    expect([taken(0), taken(1)]).toEqual([['acquire x x:1'], ['acquire x x:1', 'acquire y y:1']]);
    await took(1);
    expect(running.state).toBe('pending');
    await took(0);
    await took(0);
    expect(running.state).toBe('resolved');
  });

  it.each([
    { reply: 'busy', answer: busy('other:1'), goesOn: true },
    { reply: 'a foreign key', answer: WRONG_TYPE, goesOn: true },
    { reply: 'no answer', answer: UNKNOWN, goesOn: false },
    { reply: 'not sent', answer: NOT_SENT, goesOn: false },
    { reply: 'forbidden', answer: FORBIDDEN, goesOn: false },
    { reply: 'a defect', answer: new TypeError('x is not a function'), goesOn: false },
  ])('goes on ($goesOn) with the next hold on a node after: $reply', async ({ answer: reply, goesOn }) => {
    const { taken, answer, took, running } = openRound([X, Y]);
    await answer([false, false], [false, true], [true, true]);
    await took(0, reply);
    expect(taken(0)).toEqual(goesOn ? ['acquire x x:1', 'acquire y y:1'] : ['acquire x x:1']);
    if (goesOn) await took(0);
    expect(running.state).toBe('pending');
    await took(1);
    expect(running.state).toBe('resolved');
  });

  it('acquires nothing for an owner that released before the last node answered', async () => {
    const { taken, answer, repair, took } = openRound([X, Y]);
    repair.stop('x:1');
    await answer([false, false], [true, true], [true, true]);
    expect(taken(0)).toEqual(['acquire y y:1']);
    await took(0);
    expect(taken(0)).toEqual(['acquire y y:1']);
  });

  it('acquires nothing for an owner that released during the repair of another hold', async () => {
    const { taken, answer, repair, took, running } = openRound([X, Y]);
    await answer([false, false], [true, true], [true, true]);
    repair.stop('y:1');
    await took(0);
    expect(taken(0)).toEqual(['acquire x x:1']);
    expect(running.state).toBe('resolved');
  });

  it('ends its acquisition before the release of the owner reaches the node', async () => {
    const { clock, answer, repair, nodes, backends, took } = openRound([X]);
    await answer([false], [true], [true]);
    repair.stop('x:1');
    for (const node of nodes) outcomeOf(node.release(X));
    await clock.advance(0);
    expect(backends[0]?.log.slice(1)).toEqual(['acquire x x:1']);
    await took(0);
    expect(backends[0]?.log.slice(1)).toEqual(['acquire x x:1', 'release x x:1']);
  });

  it('acquires nothing under any name for an owner that released', async () => {
    const { taken, answer, repair } = openRound([renewalOf('x', 'a:1'), renewalOf('y', 'a:1'), Z]);
    repair.stop('a:1');
    await answer([false, false, false], [true, true, true], [true, true, true]);
    expect(taken(0)).toEqual(['acquire z z:1']);
  });

  it('is stopped in all current rounds, and not in a later one', async () => {
    const { nodes, taken, answer, took, repair } = openRound([X]);
    const run = (): void => {
      const round = repair.begin([X]);
      const ballot = new Ballot(nodes, (node) => node.renew([X]));
      outcomeOf(round.run(ballot, () => true));
    };
    run();
    repair.stop('x:1');
    run();
    await answer([false], [true], [true]);
    await answer([false], [true], [true]);
    expect(taken(0)).toEqual([]);
    await answer([false], [true], [true]);
    // Two rounds under way would acquire one after the other here.
    await took(0);
    expect(taken(0)).toEqual(['acquire x x:1']);
  });

  it('waits with an owner until its acquisition without answer is undone on that node', async () => {
    const { clock, nodes, repair, answer, took, taken } = openRound([X]);
    await answer([false], [true], [true]);
    await took(0, UNKNOWN);
    const nextRound = async (isHeld: boolean): Promise<void> => {
      const round = repair.begin([X]);
      const ballot = new Ballot(nodes, (node) => node.renew([X]));
      outcomeOf(round.run(ballot, () => true));
      await answer([isHeld], [true], [true]);
    };
    await clock.advance(2 * LEASE + 999);
    // The node still has the acquisition that is about to be undone. It does not count as a hold, and is not acquired
    // again.
    await nextRound(true);
    await nextRound(false);
    expect(taken(0)).toEqual(['acquire x x:1']);
    await clock.advance(1);
    await nextRound(false);
    expect(taken(0)).toEqual(['acquire x x:1', 'acquire x x:1']);
  });
});
