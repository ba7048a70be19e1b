import { FairLockScripts } from '../../lib/backend/kinds/fair-lock/fair-lock.js';
import { FencedLockScripts } from '../../lib/backend/kinds/fenced-lock/fenced-lock.js';
import { type Answer, settlementOf } from './answers-in-order.js';
import {
  acquired,
  DENIED,
  freed,
  LEASE,
  type MakeScripts,
  notHeld,
  plain,
  REFUSED,
  REQUEST,
  setUpLock,
  UNKNOWN,
} from './scripted-lock.js';
import type { SentScript } from './scripted-commands.js';

const late = ({ at }: SentScript) => ['late', 0, '', at];

describe('Acquiring a lock', () => {
  const fenced: MakeScripts = (commands) => new FencedLockScripts(commands, 'counter');
  const fair: MakeScripts = (commands) => new FairLockScripts(commands);

  it.each<readonly [what: string, MakeScripts, reply: readonly unknown[], outcome: object]>([
    ['a grant', plain, [LEASE, 0], { outcome: 'acquired', sent: expect.objectContaining({ startedAt: 0 }) }],
    ['a grant with a token', fenced, ['acquired', 0, '', 0, '7'], { outcome: 'acquired', fence: 7n }],
    ['another holder', plain, ['busy', 500, 'you:1', 0], { outcome: 'busy', remaining: 500, holder: 'you:1' }],
    ['a queue', fair, ['reserved', 500, 'you:1', 0, ''], { outcome: 'reserved', remaining: 500, next: 'you:1' }],
  ])('reports %s', async (_, scripts, reply, outcome) => {
    const { clock, lock, log } = setUpLock([reply], { scripts });
    const settled = settlementOf(lock.acquire(REQUEST), clock);
    await clock.advance(60_000);
    expect(settled).toMatchObject([{ at: 0, value: outcome }]);
    expect(log()).toHaveLength(1);
  });

  it('is repeated if the server refused it as late before its deadline', async () => {
    const { clock, lock, log } = setUpLock([{ after: 5, answer: late }, acquired]);
    const settled = settlementOf(lock.acquire(REQUEST), clock);
    await clock.advance(60_000);
    expect(settled).toMatchObject([{ at: 5, value: { outcome: 'acquired', sent: { startedAt: 5 } } }]);
    expect(log()).toEqual([
      ['lock/acquire', 0],
      ['lock/acquire', 5],
    ]);
  });

  it.each([
    ['for now', REFUSED],
    ['for good', DENIED],
  ])('that the server refused %s is neither repeated nor released', async (_, error) => {
    const { clock, lock, log } = setUpLock([error]);
    const settled = settlementOf(lock.acquire(REQUEST), clock);
    await clock.advance(60_000);
    expect(settled).toEqual([{ at: 0, error }]);
    expect(log()).toEqual([['lock/acquire', 0]]);
  });

  it.each<readonly [what: string, Answer]>([
    ['without an answer', UNKNOWN],
    ['answered with another lease', [LEASE + 1, 0]],
  ])('%s fails at once and is released in the background until it cannot take effect any more', async (_, answer) => {
    // The deadline of the command is 1000 ms. At that instant the server would still execute it.
    const answers = [answer, notHeld, REFUSED, UNKNOWN, ...Array.from({ length: 9 }, () => notHeld)];
    const { clock, lock, log } = setUpLock(answers);
    const settled = settlementOf(lock.acquire(REQUEST), clock);
    await clock.advance(0);
    expect(settled).toMatchObject([{ at: 0, error: { code: 'LOCK_UNAVAILABLE', outcome: 'unknown' } }]);
    await clock.advance(60_000);
    const times = Array.from({ length: 12 }, (_none, index) => Math.min(index * 100, 1001));
    expect(log()).toEqual([['lock/acquire', 0], ...times.map((at) => ['lock/release', at])]);
    expect(clock.pending).toBe(0);
  });

  it('that too few replicas have fails after it was released', async () => {
    const { clock, lock, log } = setUpLock([acquired, { after: 20, answer: freed }], { withReplicas: true });
    const settled = settlementOf(lock.acquire(REQUEST), clock);
    await clock.advance(60_000);
    expect(settled).toMatchObject([{ at: 20, error: { outcome: 'refused', lockName: 'n' } }]);
    expect(log().map(([script]) => script)).toEqual(['lock/acquire', 'lock/release']);
  });
});
