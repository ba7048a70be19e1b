import type { AcquireOutcome } from '../../lib/backend/lock-operations.js';
import { describeGrant, resultsOf, verdictOn } from '../../lib/backend/quorum/ballot.js';
import { openBallot } from './scripted-ballot.js';
import { busy, listsOf, ordersOf, outcomeOf, REFUSED, UNKNOWN } from './scripted-nodes.js';

type Choice = 'yes' | 'no' | 'failed';
const CHOICES = ['yes', 'no', 'failed'] as const;
const of = (votes: readonly Choice[], choice: Choice): number => votes.filter((vote) => vote === choice).length;

/** The verdict on complete votes. */
const finalVerdict = (votes: readonly Choice[], quorum: number): 'yes' | 'no' | 'undecided' => {
  if (of(votes, 'yes') >= quorum) return 'yes';
  return votes.length - of(votes, 'no') < quorum ? 'no' : 'undecided';
};

/** The verdict on the votes so far, from a trial of all votes that the other nodes could still cast. */
const verdictByTrying = (votes: readonly Choice[], size: number, quorum: number): string => {
  const ends = new Set(
    listsOf(CHOICES, size - votes.length).map((others) => finalVerdict([...votes, ...others], quorum)),
  );
  const [end = 'undecided'] = ends;
  if (votes.length === size) return end;
  return ends.size === 1 && end !== 'undecided' ? end : 'open';
};

const SIZES = [
  { size: 3, quorum: 2 },
  { size: 3, quorum: 3 },
  { size: 5, quorum: 3 },
  { size: 5, quorum: 4 },
];

describe('A verdict', () => {
  it.each([
    { votes: 'no vote', yes: 0, no: 0, pending: 3, verdict: 'open' },
    { votes: 'one yes', yes: 1, no: 0, pending: 2, verdict: 'open' },
    { votes: 'two yes', yes: 2, no: 0, pending: 1, verdict: 'yes' },
    { votes: 'one no', yes: 0, no: 1, pending: 2, verdict: 'open' },
    { votes: 'two no', yes: 0, no: 2, pending: 1, verdict: 'no' },
    { votes: 'one yes, one no', yes: 1, no: 1, pending: 1, verdict: 'open' },
    { votes: 'one failed', yes: 0, no: 0, pending: 2, verdict: 'open' },
    { votes: 'one yes, one failed', yes: 1, no: 0, pending: 1, verdict: 'open' },
    { votes: 'one no, one failed', yes: 0, no: 1, pending: 1, verdict: 'open' },
    { votes: 'two failed', yes: 0, no: 0, pending: 1, verdict: 'open' },
    { votes: 'one yes, one no, one failed', yes: 1, no: 1, pending: 0, verdict: 'undecided' },
    { votes: 'one yes, two failed', yes: 1, no: 0, pending: 0, verdict: 'undecided' },
    { votes: 'one no, two failed', yes: 0, no: 1, pending: 0, verdict: 'undecided' },
    { votes: 'three failed', yes: 0, no: 0, pending: 0, verdict: 'undecided' },
  ])('of 3 nodes on $votes is $verdict', ({ yes, no, pending, verdict }) => {
    expect(verdictOn(yes, no, pending, 3, 2)).toBe(verdict);
  });

  it.each(SIZES)('of $quorum of $size nodes is given when no further vote could change it', ({ size, quorum }) => {
    for (let cast = 0; cast <= size; cast += 1) {
      for (const votes of listsOf(CHOICES, cast)) {
        const verdict = verdictOn(of(votes, 'yes'), of(votes, 'no'), size - cast, size, quorum);
        expect({ votes, verdict }).toEqual({ votes, verdict: verdictByTrying(votes, size, quorum) });
      }
    }
  });
});

describe('A ballot', () => {
  it.each([
    { size: 3, quorum: 2, orders: ordersOf(3) },
    // In some order every node casts every vote. All 120 orders would only repeat that.
    { size: 5, quorum: 3, orders: ordersOf(5).filter((_, index) => index % 17 === 0) },
  ])(
    'of $size nodes is decided by the same vote as a count by hand, in every order',
    async ({ size, quorum, orders }) => {
      for (const choices of listsOf(CHOICES, size)) {
        for (const order of orders) {
          const { ballot, cast } = openBallot<boolean>(size);
          const result = outcomeOf(
            ballot.decide(() => {
              const yes = ballot.count((answer) => answer);
              const verdict = verdictOn(yes, ballot.answers.length - yes, ballot.pending, size, quorum);
              return verdict === 'open' ? undefined : verdict;
            }),
          );
          const heard: Choice[] = [];
          let expected = 'open';
          for (const index of order) {
            const choice = choices[index] ?? 'failed';
            cast(index, choice === 'failed' ? UNKNOWN : choice === 'yes');
            heard.push(choice);
            for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
            if (expected === 'open') expected = verdictByTrying(heard, size, quorum);
            const seen = result.state === 'pending' ? 'open' : result.value;
            if (seen !== expected) throw new Error(`After ${heard.join(', ')} it is ${String(seen)}, not ${expected}`);
          }
          expect(result.state).toBe('resolved');
        }
      }
    },
  );

  it('keeps votes in the order of the nodes, whichever comes first', async () => {
    const { clock, ballot, cast } = openBallot<string>(3);
    cast(2, 'c');
    await clock.advance(0);
    cast(0, UNKNOWN);
    await clock.advance(0);
    expect(ballot.votes.map(({ state }) => state)).toEqual(['failed', 'pending', 'answered']);
    expect(ballot.pending).toBe(1);
    cast(1, 'b');
    await clock.advance(0);
    expect(ballot.answers).toEqual(['b', 'c']);
    expect(ballot.errors).toEqual([UNKNOWN]);
  });

  it('counts votes after the decision, and does not decide again', async () => {
    const { clock, ballot, cast } = openBallot<string>(3);
    let looks = 0;
    const decision = outcomeOf(ballot.decide(() => ((looks += 1) === 2 ? ballot.answers.join('') : undefined)));
    for (const [index, vote] of ['a', 'b', 'c'].entries()) {
      cast(index, vote);
      await clock.advance(0);
    }
    expect(decision).toEqual({ state: 'resolved', value: 'ab' });
    expect(looks).toBe(2);
    expect(ballot.answers).toEqual(['a', 'b', 'c']);
  });

  it('rejects once with the error that the decision throws', async () => {
    const { clock, ballot, cast } = openBallot<string>(3);
    let looks = 0;
    const decision = outcomeOf(
      ballot.decide(() => {
        looks += 1;
        throw REFUSED;
      }),
    );
    cast(0, 'a');
    cast(1, 'b');
    await clock.advance(0);
    expect(decision).toEqual({ state: 'rejected', value: REFUSED });
    expect(looks).toBe(1);
  });

  it('is settled when the slowest node has voted, although all of them failed', async () => {
    const { clock, ballot, cast } = openBallot<string>(3);
    const settled = outcomeOf(ballot.settled);
    cast(0, UNKNOWN);
    cast(1, UNKNOWN);
    await clock.advance(0);
    expect(settled.state).toBe('pending');
    cast(2, UNKNOWN);
    await clock.advance(0);
    expect(settled.state).toBe('resolved');
  });

  it('reports each node as pending, failed or with its answer', async () => {
    const { clock, ballot, cast, acquired } = openBallot<AcquireOutcome>(3);
    cast(0, acquired());
    cast(1, UNKNOWN);
    await clock.advance(0);
    expect(resultsOf(ballot, describeGrant)).toEqual([
      { node: 'node 0', outcome: 'acquired' },
      { node: 'node 1', outcome: 'failed', error: UNKNOWN },
      { node: 'node 2', outcome: 'pending' },
    ]);
    cast(2, busy('b:1'));
    await clock.advance(0);
    expect(resultsOf(ballot, describeGrant)[2]).toEqual({ node: 'node 2', outcome: 'busy', holder: 'b:1' });
  });
});
