import type { Renewal, RenewOutcome } from '../../lib/backend/lock-operations.js';
import { QuorumLock } from '../../lib/backend/quorum/quorum-lock.js';
import { FixedDelay, NOT_SENT, outcomeOf, scriptedNodes, UNKNOWN } from './scripted-nodes.js';

const REQUEST = { name: 'n', owner: 'a:1', lease: 1000 };

const openLock = (size = 3, quorum = Math.floor(size / 2) + 1) => {
  const bench = scriptedNodes(size);
  const lock = new QuorumLock(bench.nodes, quorum, new FixedDelay(), bench.scheduler);
  /** Answers the nodes in their order. */
  const vote = async (what: string, ...answers: unknown[]): Promise<void> => {
    for (const [index, answer] of answers.entries()) {
      if (answer === undefined) continue;
      bench.reply(index, what, answer);
      await bench.clock.advance(0);
    }
  };
  /** The requests to each node after the first one. */
  const asked = (): (string | undefined)[] => bench.backends.map(({ log }) => log.slice(1).join('; ') || undefined);
  return { ...bench, lock, vote, asked };
};

const [HELD, LOST] = [{ outcome: 'held' }, { outcome: 'lost' }];
const [RELEASED, NOT_HELD] = [{ outcome: 'released' }, { outcome: 'not-held' }];
/** A node without an answer yet. */
const silent = undefined;
const unavailable = expect.objectContaining({ code: 'LOCK_UNAVAILABLE' });

describe('A decision of 3 nodes', () => {
  it.each([
    { votes: [true, silent, silent], end: { state: 'pending' } },
    { votes: [true, true, silent], end: { state: 'resolved', value: true } },
    { votes: [false, false, silent], end: { state: 'resolved', value: false } },
    { votes: [true, false, silent], end: { state: 'pending' } },
    { votes: [true, false, true], end: { state: 'resolved', value: true } },
    { votes: [false, true, false], end: { state: 'resolved', value: false } },
    { votes: [UNKNOWN, true, silent], end: { state: 'pending' } },
    { votes: [UNKNOWN, true, true], end: { state: 'resolved', value: true } },
    { votes: [UNKNOWN, false, false], end: { state: 'resolved', value: false } },
    { votes: [UNKNOWN, true, false], end: { state: 'rejected' } },
    { votes: [UNKNOWN, NOT_SENT, silent], end: { state: 'pending' } },
    { votes: [UNKNOWN, NOT_SENT, true], end: { state: 'rejected' } },
  ])('on a hold to be kept, after $votes, is $end', async ({ votes, end }) => {
    const holding = openLock();
    const held = outcomeOf(holding.lock.hold({ ...REQUEST, count: 2 }).then(({ outcome }) => outcome === 'held'));
    await holding.vote('hold', ...votes.map((vote) => (typeof vote === 'boolean' ? (vote ? HELD : LOST) : vote)));
    const leaving = openLock();
    const left = outcomeOf(leaving.lock.leaveBehind({ ...REQUEST, keep: 10 }));
    await leaving.vote('leaveBehind', ...votes);
    expect(held).toMatchObject(end);
    expect(left).toMatchObject(end);
    // Holds that can no longer make a quorum would only keep other owners out.
    const after = end.value === false && end.state === 'resolved' ? 'release n a:1' : undefined;
    const isAnswered = votes.map((vote) => vote !== silent);
    for (const { asked } of [holding, leaving]) {
      expect(asked()).toEqual(isAnswered.map((answered) => (answered ? after : undefined)));
    }
  });

  it.each([
    { votes: [RELEASED, silent, silent], end: { state: 'pending' } },
    { votes: [RELEASED, RELEASED, silent], end: { state: 'resolved', value: RELEASED } },
    { votes: [NOT_HELD, NOT_HELD, silent], end: { state: 'resolved', value: NOT_HELD } },
    { votes: [RELEASED, NOT_HELD, silent], end: { state: 'pending' } },
    { votes: [RELEASED, NOT_HELD, NOT_HELD], end: { state: 'resolved', value: NOT_HELD } },
    // A majority says that the lock is free, and no answer says that it was lost before.
    { votes: [RELEASED, NOT_HELD, UNKNOWN], end: { state: 'resolved', value: RELEASED } },
    { votes: [UNKNOWN, RELEASED, silent], end: { state: 'pending' } },
    { votes: [UNKNOWN, NOT_SENT, RELEASED], end: { state: 'rejected', value: unavailable } },
    { votes: [UNKNOWN, NOT_SENT, silent], end: { state: 'pending' } },
  ])('on a release, after $votes, is $end', async ({ votes, end }) => {
    const { lock, vote, asked } = openLock();
    const releasing = outcomeOf(lock.release(REQUEST));
    await vote('release', ...votes);
    expect(releasing).toMatchObject(end);
    expect(asked()).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    { votes: [true, true, silent], end: { state: 'pending' } },
    { votes: [UNKNOWN, UNKNOWN, silent], end: { state: 'pending' } },
    { votes: [false, true, false], end: { state: 'resolved', value: true } },
    { votes: [false, UNKNOWN, true], end: { state: 'resolved', value: true } },
    { votes: [false, UNKNOWN, false], end: { state: 'resolved', value: false } },
    { votes: [true, UNKNOWN, NOT_SENT], end: { state: 'rejected', value: unavailable } },
  ])('on a forced release waits for the slowest: after $votes it is $end', async ({ votes, end }) => {
    const { lock, vote } = openLock();
    const releasing = outcomeOf(lock.forceRelease({ name: 'n' }));
    await vote('forceRelease', ...votes);
    expect(releasing).toMatchObject(end);
  });
});

describe('The state of a lock on 3 nodes', () => {
  const free = { locked: false, count: 0, remaining: -2 };
  const ours = (count: number, remaining: number) => ({ locked: true, count, remaining });
  const others = ours(0, 700);

  it.each([
    { votes: [free, free, silent], end: { state: 'resolved', value: free } },
    { votes: [free, ours(1, 500), free], end: { state: 'resolved', value: free } },
    { votes: [ours(1, 500), ours(1, 900), silent], end: { state: 'resolved', value: ours(1, 500) } },
    { votes: [ours(2, 500), ours(1, 900), silent], end: { state: 'resolved', value: ours(1, 500) } },
    { votes: [ours(1, 500), free, silent], end: { state: 'pending' } },
    { votes: [ours(1, 500), free, ours(3, -1)], end: { state: 'resolved', value: ours(1, 500) } },
    { votes: [ours(1, -1), ours(1, -1), silent], end: { state: 'resolved', value: ours(1, -1) } },
    // The lock is held, and the third answer decides whether by this owner.
    { votes: [ours(1, 500), others, silent], end: { state: 'pending' } },
    { votes: [ours(1, 500), others, ours(1, 600)], end: { state: 'resolved', value: ours(1, 600) } },
    { votes: [ours(1, 500), others, others], end: { state: 'resolved', value: ours(0, 700) } },
    { votes: [ours(1, 500), others, UNKNOWN], end: { state: 'rejected', value: unavailable } },
    { votes: [others, others, silent], end: { state: 'resolved', value: others } },
    { votes: [free, others, UNKNOWN], end: { state: 'rejected', value: unavailable } },
    { votes: [free, UNKNOWN, silent], end: { state: 'pending' } },
  ])('for an owner, after $votes, is $end', async ({ votes, end }) => {
    const { lock, vote } = openLock();
    const inspecting = outcomeOf(lock.inspect('n', 'a:1'));
    await vote('inspect', ...votes);
    expect(inspecting).toMatchObject(end);
  });
});

describe('A late vote on 3 nodes', () => {
  it.each(['hold', 'leaveBehind'])('to %s, after the owner has lost, is followed by a release', async (what) => {
    const { lock, vote, reply, clock, asked } = openLock();
    const [no, yes] = what === 'hold' ? [LOST, HELD] : [false, true];
    outcomeOf(what === 'hold' ? lock.hold({ ...REQUEST, count: 1 }) : lock.leaveBehind({ ...REQUEST, keep: 10 }));
    await vote(what, no, no);
    expect(asked()).toEqual(['release n a:1', 'release n a:1', undefined]);
    reply(2, what, yes);
    await clock.advance(0);
    expect(asked()[2]).toBe('release n a:1');
  });

  it.each([
    { what: 'release', answers: [RELEASED, RELEASED, RELEASED], ask: (lock: QuorumLock) => lock.release(REQUEST) },
    {
      what: 'leaveBehind',
      answers: [true, true, UNKNOWN],
      ask: (lock: QuorumLock) => lock.leaveBehind({ ...REQUEST, keep: 10 }),
    },
  ])('to a $what is awaited at the end of the application, for some time', async ({ what, answers, ask }) => {
    const { lock, vote, reply, clock } = openLock();
    outcomeOf(ask(lock));
    await vote(what, ...answers.slice(0, 2));
    const [patient, impatient] = [outcomeOf(lock.finish(500)), outcomeOf(lock.finish(100))];
    await clock.advance(100);
    expect([patient.state, impatient.state]).toEqual(['pending', 'resolved']);
    reply(2, what, answers[2]);
    await clock.advance(0);
    expect(patient.state).toBe('resolved');
  });
});

describe('Renewals on 3 nodes', () => {
  const renewals: readonly Renewal[] = ['x', 'y'].map((name) => ({ name, owner: `${name}:1`, lease: 1000 }));
  const heldBy = (...held: boolean[]) => ({ held });

  it.each([
    { votes: [heldBy(true, true), heldBy(true, true), silent], held: [true, true] },
    { votes: [heldBy(true, false), heldBy(true, false), silent], held: [true, false] },
    { votes: [heldBy(true, true), heldBy(true, false), silent], held: 'pending' },
    { votes: [heldBy(true, true), heldBy(true, false), heldBy(false, true)], held: [true, true] },
    { votes: [heldBy(true, true), heldBy(true, false), UNKNOWN], held: [true, undefined] },
    { votes: [heldBy(true, true), UNKNOWN, silent], held: 'pending' },
    { votes: [heldBy(true, true), UNKNOWN, NOT_SENT], held: [undefined, undefined] },
    { votes: [heldBy(false, true), UNKNOWN, heldBy(false, true)], held: [false, true] },
    { votes: [UNKNOWN, NOT_SENT, UNKNOWN], held: [undefined, undefined] },
  ])('are decided individually in one round: after $votes they are $held', async ({ votes, held }) => {
    const { lock, vote } = openLock();
    const renewing = outcomeOf(lock.renew(renewals));
    await vote('renew', ...votes);
    const outcome = renewing.value as RenewOutcome | undefined;
    expect(outcome?.held ?? 'pending').toEqual(held);
    const known: readonly unknown[] = [held].flat();
    const isDoubtful = known.includes(undefined);
    expect(outcome?.failure?.code).toBe(isDoubtful ? 'LOCK_UNAVAILABLE' : undefined);
  });

  it('release lost holds on all nodes, and nothing else', async () => {
    const { lock, vote, asked, reply, clock } = openLock();
    outcomeOf(lock.renew(renewals));
    await vote('renew', heldBy(true, false), heldBy(true, false));
    expect(asked()).toEqual(['release y y:1', 'release y y:1', undefined]);
    reply(2, 'renew', heldBy(true, true));
    await clock.advance(0);
    expect(asked()[2]).toBe('release y y:1');
  });

  it.each([
    { then: 'release', ask: (lock: QuorumLock) => lock.release({ name: 'x', owner: 'x:1', lease: 1000 }) },
    {
      then: 'leaveBehind',
      ask: (lock: QuorumLock) => lock.leaveBehind({ name: 'x', owner: 'x:1', lease: 1000, keep: 1 }),
    },
  ])('repair nothing for an owner that requests a $then before the last vote', async ({ then, ask }) => {
    const { lock, vote, asked, reply, clock } = openLock();
    outcomeOf(lock.renew(renewals));
    await vote('renew', heldBy(false, true), heldBy(true, true));
    outcomeOf(ask(lock));
    reply(2, 'renew', heldBy(true, true));
    await clock.advance(0);
    expect(asked()).toEqual([`${then} x x:1`, `${then} x x:1`, `${then} x x:1`]);
  });
});
