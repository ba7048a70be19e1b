import type { AcquireOutcome } from '../../lib/backend/lock-operations.js';
import { Ballot, busyFor, noQuorum } from '../../lib/backend/quorum/ballot.js';
import {
  busy,
  FixedDelay,
  FORBIDDEN,
  labelled,
  NOT_SENT,
  REFUSED,
  scriptedNodes,
  UNKNOWN,
  WRONG_TYPE,
} from './scripted-nodes.js';

/** A ballot after all votes. */
const decided = async <T>(votes: readonly (T | Error)[]): Promise<Ballot<T>> => {
  const { nodes } = scriptedNodes(votes.length);
  const ballot = new Ballot<T>(nodes, async (node) => {
    const vote = votes[nodes.indexOf(node)] as T | Error;
    if (vote instanceof Error) throw vote;
    return vote;
  });
  await ballot.settled;
  return ballot;
};

describe('The error of a ballot without a quorum', () => {
  const inWords = (answer: string) => ({ outcome: answer });

  it.each([
    { said: 'not sent', votes: [NOT_SENT, NOT_SENT, 'held'], expected: { outcome: 'not-sent', permanent: false } },
    { said: 'refused once', votes: [NOT_SENT, REFUSED, 'held'], expected: { outcome: 'refused', permanent: false } },
    { said: 'unknown once', votes: [REFUSED, UNKNOWN, NOT_SENT], expected: { outcome: 'unknown', permanent: false } },
    { said: 'a type error', votes: [NOT_SENT, WRONG_TYPE, 'held'], expected: { outcome: 'unknown', permanent: false } },
    { said: 'forbidden once', votes: [FORBIDDEN, NOT_SENT, 'held'], expected: { permanent: false } },
    { said: 'forbidden twice', votes: [FORBIDDEN, FORBIDDEN, 'held'], expected: { permanent: true } },
    { said: 'forbidden and a type error', votes: [FORBIDDEN, WRONG_TYPE, 'held'], expected: { permanent: true } },
  ])('has the outcome that follows from the replies: $said', async ({ votes, expected }) => {
    const error = noQuorum(await decided<string>(votes), 2, 'n', inWords);
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', lockName: 'n', ...expected });
  });

  it('D73: has an unknown outcome if a node was changed, although the others were not asked', async () => {
    const ballot = await decided<string>([NOT_SENT, NOT_SENT, 'acquired']);
    const isGrant = (answer: string): boolean => answer === 'acquired';
    expect(noQuorum(ballot, 2, 'n', inWords, isGrant)).toMatchObject({ outcome: 'unknown' });
    const busyBallot = await decided<string>([NOT_SENT, NOT_SENT, 'busy']);
    expect(noQuorum(busyBallot, 2, 'n', inWords, isGrant)).toMatchObject({ outcome: 'not-sent' });
  });

  it('is the type error if it makes a quorum impossible', async () => {
    expect(noQuorum(await decided<string>([WRONG_TYPE, 'held', WRONG_TYPE]), 2, 'n', inWords)).toBe(WRONG_TYPE);
    expect(noQuorum(await decided<string>([WRONG_TYPE, 'held', UNKNOWN]), 3, 'n', inWords)).toBe(WRONG_TYPE);
  });

  it('names the nodes and how many answered', async () => {
    const error = noQuorum(await decided<string>([UNKNOWN, 'held', REFUSED]), 2, 'n', inWords);
    expect(error.message).toBe(
      'No quorum of the Redis nodes could decide: 1 of 3 answered, 2 are needed ' +
        '(node 0: no reply; node 1: held; node 2: out of memory)',
    );
    expect(error.cause).toBe(UNKNOWN);
    expect(error.details['quorum']).toBe(2);
  });
});

describe('A busy reply of a quorum', () => {
  /**
   * The delay is 7 ms if no owner can have the lock, so the next attempt comes after a random time. It is 200 ms if an
   * owner may have it.
   */
  const DELAY = new FixedDelay(7, 200);
  const [none, b1, b2, b3] = [UNKNOWN, busy('b:1', 1000), busy('b:1', 2000), busy('b:1', 3000)];
  const [c1, d1, endless] = [busy('c:1', 4000), busy('d:1', 5000), busy('b:1', -1)];
  const free = { outcome: 'acquired' } as AcquireOutcome;

  it.each([
    { case: 'one holder on all of 3', votes: [b1, b2, b3], holder: 'b:1', remaining: 2000 },
    { case: 'one holder on 2 of 3', votes: [b1, free, b3], holder: 'b:1', remaining: 1000 },
    { case: 'one holder on 2 of 3, one silent', votes: [b3, none, b2], holder: 'b:1', remaining: 2000 },
    { case: 'three holders', votes: [b1, c1, d1], holder: 'b:1', remaining: 7 },
    { case: 'two holders, one node free', votes: [free, c1, d1], holder: 'c:1', remaining: 7 },
    { case: 'two holders, one node silent', votes: [b1, c1, none], holder: 'b:1', remaining: 200 },
    { case: 'two holders of leases that end at once', votes: [busy('b:1', 3), c1, d1], holder: 'b:1', remaining: 7 },
    {
      case: 'leases that end before the delay',
      votes: [busy('b:1', 3), busy('c:1', 4), d1],
      holder: 'b:1',
      remaining: 4,
    },
    { case: 'a holder without end on all', votes: [endless, endless, endless], holder: 'b:1', remaining: -1 },
    { case: 'a holder without end on 1 of 3', votes: [endless, b1, b2], holder: 'b:1', remaining: 2000 },
    { case: 'a holder without end on 2 of 3', votes: [endless, endless, b1], holder: 'b:1', remaining: -1 },
    { case: 'holders of 2 and 1 nodes', votes: [c1, b1, b2], holder: 'b:1', remaining: 2000 },
    { case: 'one holder on 3 of 5', votes: [b1, b2, b3, free, free], holder: 'b:1', remaining: 1000 },
    { case: 'one holder on 2 of 5, one silent', votes: [b1, b2, c1, none, free], holder: 'b:1', remaining: 200 },
    { case: 'one holder on 2 of 5, others free', votes: [b1, b2, c1, free, free], holder: 'b:1', remaining: 7 },
    { case: 'one holder on 3 of 5, others hold too', votes: [b3, b2, b1, c1, d1], holder: 'b:1', remaining: 3000 },
  ])('waits long enough for $case', async ({ votes, holder, remaining }) => {
    const ballot = await decided<AcquireOutcome>(votes);
    const quorum = votes.length === 3 ? 2 : 3;
    expect(busyFor(ballot, quorum, DELAY)).toMatchObject({ outcome: 'busy', holder, remaining });
  });

  it('has the reply of every node', async () => {
    const reply = busyFor(await decided<AcquireOutcome>([b1, free, none]), 2, DELAY);
    expect(reply.outcome === 'busy' && labelled(reply.nodes ?? [])).toEqual([
      'node 0: busy',
      'node 1: acquired',
      'node 2: failed',
    ]);
  });
});
