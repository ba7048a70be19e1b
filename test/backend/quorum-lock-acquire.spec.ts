import type { AcquireOutcome } from '../../lib/backend/lock-operations.js';
import { QuorumLock } from '../../lib/backend/quorum/quorum-lock.js';
import { busy, FixedDelay, listsOf, ordersOf, outcomeOf, REFUSED, scriptedNodes, UNKNOWN } from './scripted-nodes.js';

const REQUEST = { name: 'n', owner: 'a:1', lease: 1000 };
const FREED = ['acquire n a:1', 'releaseSilently n a:1'];
const LEFT_ALONE = ['acquire n a:1'];

const openLock = (size = 3, quorum = Math.floor(size / 2) + 1) => {
  const bench = scriptedNodes(size);
  const delay = new FixedDelay();
  const lock = new QuorumLock(bench.nodes, quorum, delay, bench.scheduler);
  const acquire = () => outcomeOf(lock.acquire(REQUEST));
  /** The answer of one node to the acquisition. */
  const vote = async (index: number, choice: Choice): Promise<void> => {
    bench.reply(index, 'acquire', choice === 'granted' ? bench.acquired() : ANSWERS[choice]);
    await bench.clock.advance(0);
  };
  /** Makes every node confirm the releases sent to it. */
  const freeAll = async (): Promise<void> => {
    for (const backend of bench.backends) {
      const what = backend.log.at(-1)?.split(' ')[0] ?? '';
      if (what.startsWith('release') && backend.unanswered > 0) backend.reply(what, { outcome: 'released' });
    }
    await bench.clock.advance(0);
  };
  const logs = (): string[][] => bench.backends.map(({ log }) => log);
  return { ...bench, lock, delay, acquire, vote, freeAll, logs };
};

const ANSWERS = { busy: busy('b:1'), unknown: UNKNOWN, refused: REFUSED } as const;
type Choice = 'granted' | keyof typeof ANSWERS;
const CHOICES = ['granted', 'busy', 'unknown', 'refused'] as const;

const endOf = ({ state, value }: ReturnType<typeof outcomeOf>): string =>
  state === 'resolved' ? (value as AcquireOutcome).outcome : state;

/** The expected outcome of an acquisition on 3 nodes after these votes. */
const expectedEnd = (votes: readonly Choice[]): string => {
  const granted = votes.filter((vote) => vote === 'granted').length;
  const answered = votes.filter((vote) => vote === 'granted' || vote === 'busy').length;
  if (granted >= 2) return 'acquired';
  if (granted + 3 - votes.length >= 2) return 'pending';
  if (answered >= 2) return 'busy';
  return votes.length === 3 ? 'rejected' : 'pending';
};

describe('An acquisition on 3 nodes', () => {
  it('ends with the deciding vote, and releases useless grants, in every order of votes', async () => {
    for (const choices of listsOf(CHOICES, 3)) {
      for (const order of ordersOf(3)) {
        const { acquire, vote, freeAll, logs } = openLock();
        const acquiring = acquire();
        const ends: string[] = [];
        for (const index of order) {
          await vote(index, choices[index] ?? 'busy');
          await freeAll();
          ends.push(endOf(acquiring));
        }
        const votes = order.map((index) => choices[index] ?? 'busy');
        const expected = votes.map((_, cast) => expectedEnd(votes.slice(0, cast + 1)));
        const decidedBy = expected.findIndex((end) => end !== 'pending');
        const decision = expected[decidedBy];
        // The acquisition does not wait for a vote after the decision. The late node is freed, whatever its vote.
        const isFreed = (node: number): boolean =>
          decision !== 'acquired' && (choices[node] === 'granted' || order.indexOf(node) > decidedBy);
        expect({ choices, order, ends, logs: logs() }).toEqual({
          choices,
          order,
          ends: expected.map((end, cast) => (cast < decidedBy ? end : decision)),
          logs: choices.map((_, node) => (isFreed(node) ? FREED : LEFT_ALONE)),
        });
      }
    }
  });

  it('reports a conflict only after its grants are released', async () => {
    const { acquire, vote, logs, reply, clock } = openLock();
    const acquiring = acquire();
    await vote(0, 'granted');
    await vote(1, 'busy');
    await vote(2, 'busy');
    expect(logs()).toEqual([FREED, LEFT_ALONE, LEFT_ALONE]);
    await clock.advance(900);
    expect(acquiring.state).toBe('pending');
    reply(0, 'releaseSilently', { outcome: 'released' });
    await clock.advance(0);
    expect(acquiring.value).toMatchObject({ outcome: 'busy', holder: 'b:1' });
  });

  it.each([
    { answers: ['busy', 'busy', 'busy'], after: 30, ms: 30 },
    { answers: ['granted', 'granted'], after: 12, ms: 12 },
    { answers: ['unknown', 'unknown', 'unknown'], after: 1000, ms: 1000 },
  ] as const)('tells the delay of the next try that $answers took $ms ms', async ({ answers, after, ms }) => {
    const { acquire, vote, clock, delay } = openLock();
    acquire();
    await clock.advance(after);
    for (const [index, choice] of answers.entries()) await vote(index, choice);
    expect(delay.observed).toEqual([ms]);
  });
});

describe('A quorum of grants that is useless', () => {
  it.each([
    { lease: 1000, elapsed: 987, isLeft: true },
    { lease: 1000, elapsed: 988, isLeft: false },
    { lease: 1000, elapsed: 1500, isLeft: false },
  ])('is one that took $elapsed ms of a lease of $lease ms: $isLeft', async ({ elapsed, isLeft }) => {
    const { acquire, vote, clock, freeAll, logs } = openLock();
    const acquiring = acquire();
    await vote(0, 'granted');
    await clock.advance(elapsed);
    await vote(1, 'granted');
    await vote(2, 'granted');
    // Other owners may have seen the quorum, and sleep until they learn of its end. So these releases are announced.
    const log = isLeft ? LEFT_ALONE : ['acquire n a:1', 'release n a:1'];
    expect(logs()).toEqual([log, log, log]);
    await freeAll();
    const late = { code: 'LOCK_UNAVAILABLE', outcome: 'refused', permanent: false, lockName: 'n' };
    expect(acquiring.value).toMatchObject(isLeft ? { outcome: 'acquired' } : late);
  });

  it('is one of which two nodes are one server', async () => {
    const { acquire, vote, backends, freeAll, logs } = openLock();
    for (const backend of backends.slice(1)) backend.serverId = 'same';
    const acquiring = acquire();
    await vote(0, 'granted');
    await vote(1, 'granted');
    expect(logs()[0]).toEqual(['acquire n a:1', 'release n a:1']);
    await freeAll();
    expect(acquiring).toMatchObject({ state: 'rejected', value: { code: 'LOCK_OPTIONS' } });
    expect(String(acquiring.value)).toContain('one server twice, as node 1 and node 2');
  });
});
