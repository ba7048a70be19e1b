import { FairWaiter } from '../../lib/waiting/fair/fair-waiter.js';
import { LockKeyTypeError } from '../../lib/errors.js';
import { Stopwatch } from '../../lib/time/scheduler.js';
import { FairParts, LEASE, NAME, SLOT } from './fair-queue-world.js';
import { unavailable } from './held-requests.js';

type Answer = (parts: FairParts, owner: string) => Promise<void>;

const queued: Answer = (parts, owner) => parts.place(owner);
const acquired: Answer = (parts, owner) => parts.grant(owner);
const failed =
  (error: unknown): Answer =>
  (parts, owner) =>
    parts.fail(owner, error);

const notSent = failed(unavailable('not-sent'));
const refused = failed(unavailable('refused'));
const unknown = failed(unavailable('unknown'));
const wrongKey = failed(new LockKeyTypeError('Not a lock'));

/** [the history of the waiter, the answers to its attempts, whether the server may have a place or a grant for it] */
const HISTORIES: readonly [string, readonly Answer[], boolean][] = [
  ['has asked nothing', [], false],
  ['was given a place', [queued], true],
  ['was given the lock', [acquired], true],
  ['could not ask', [notSent], false],
  ['was refused', [refused], false],
  ['does not know whether it has asked', [unknown], true],
  ['found a key of another type', [wrongKey], false],
  ['was refused after an attempt of unknown outcome', [unknown, refused], true],
  ['could not ask after it was given a place', [queued, notSent], true],
  ['was given a place after an attempt of unknown outcome', [unknown, queued], true],
];

describe('A waiter for a fair lock', () => {
  const open = () => {
    const parts = new FairParts();
    const told: unknown[] = [];
    const callbacks = {
      granted: (got: unknown) => void told.push(got),
      refused: (error: unknown) => void told.push(error),
    };
    const waiter = new FairWaiter(parts.context(), LEASE, callbacks, parts.waiting);
    const attempt = async (answer: Answer): Promise<unknown> => {
      const reply = waiter.attempt().catch((error: unknown) => error);
      await answer(parts, waiter.owner);
      return reply;
    };
    return { parts, told, waiter, attempt };
  };

  const opened = async (answers: readonly Answer[]) => {
    const world = open();
    for (const answer of answers) await world.attempt(answer);
    return world;
  };

  it('asks under the same id every time, and passes on the answers', async () => {
    const { parts, waiter, attempt } = open();
    await expect(attempt(queued)).resolves.toMatchObject({ outcome: 'queued', holder: 'them:1' });
    await expect(attempt(acquired)).resolves.toMatchObject({ outcome: 'acquired' });
    await expect(attempt(refused)).resolves.toMatchObject({ outcome: 'refused' });
    const request = { name: NAME, owner: waiter.owner, lease: LEASE, slot: SLOT };
    expect(parts.locks.queues.sent).toMatchObject([request, request, request]);
  });

  it.each(HISTORIES)('that %s leaves once, if it may have a place or the lock', async (_, answers, leaves) => {
    const { parts, waiter } = await opened(answers);
    waiter.leave();
    waiter.leave();
    await parts.settle();
    const left = leaves ? [{ name: NAME, owners: [waiter.owner], lease: LEASE, slot: SLOT }] : [];
    expect(parts.locks.leaves.sent).toEqual(left);
  });

  it.each(HISTORIES)('that %s is rejected with the reason, and leaves', async (_, answers, leaves) => {
    const { parts, told, waiter } = await opened(answers);
    const error = new Error('Enough');
    waiter.fail(error);
    await parts.settle();
    expect(told).toEqual([error]);
    expect(parts.left).toEqual(leaves ? [waiter.owner] : []);
  });

  it.each(HISTORIES)(
    'that %s starts again under a new id, and leaves under the old one',
    async (_, answers, leaves) => {
      const { parts, waiter, attempt } = await opened(answers);
      const { owner } = waiter;
      waiter.startOver();
      await parts.settle();
      expect(waiter.owner).not.toBe(owner);
      expect(parts.left).toEqual(leaves ? [owner] : []);
      // The server has nothing under the new id yet.
      waiter.leave();
      await parts.settle();
      expect(parts.left).toEqual(leaves ? [owner] : []);
      await attempt(queued);
      expect(parts.attempted.at(-1)).toBe(waiter.owner);
    },
  );

  it.each(HISTORIES)('that %s has nothing to give up after it was granted the lock', async (_, answers) => {
    const { parts, told, waiter } = await opened(answers);
    const got = { owner: waiter.owner, sent: new Stopwatch(parts.scheduler), lease: LEASE, fence: undefined };
    waiter.grant(got);
    waiter.leave();
    await parts.settle();
    expect(told).toEqual([got]);
    expect(parts.left).toEqual([]);
  });

  it('that fails during an attempt is rejected at once, and leaves when told to', async () => {
    const { parts, told, waiter, attempt } = open();
    await attempt(queued);
    const reply = waiter.attempt();
    waiter.isAttempting = true;
    const error = new Error('Enough');
    waiter.fail(error);
    await parts.settle();
    expect(told).toEqual([error]);
    expect(parts.left).toEqual([]);
    await parts.grant(waiter.owner);
    await reply;
    waiter.isAttempting = false;
    waiter.leave();
    await parts.settle();
    expect(parts.left).toEqual([waiter.owner]);
  });
});
