import { RedisConversion } from '../../lib/backend/kinds/read-write/conversion.js';
import { RedisReadLock, RedisWriteLock } from '../../lib/backend/kinds/read-write/read-write-lock.js';
import { type Answer, settlementOf } from './answers-in-order.js';
import { DENIED, NOT_SENT, REFUSED, UNKNOWN } from './scripted-lock.js';
import { ScriptedCommands, type SentScript } from './scripted-commands.js';

const LEASE = 30_000;
const REQUEST = { name: 'n', from: 'me:1', to: 'me:2', lease: LEASE };

const notHeld = ({ at }: SentScript) => ['not-held', at];
const upgraded = ({ at }: SentScript) => ['held', 0, at];
const downgraded = ({ at }: SentScript) => ['held', at];

/** Conversions on a server that gives these answers to each script, in order; the last one again and again. */
const setUp = (
  answers: Readonly<Record<string, readonly Answer[]>>,
  { withReplicas = false, commands = new ScriptedCommands() } = {},
) => {
  const { scheduler, clock, sent } = commands;
  const replicas = withReplicas ? { min: 1, timeout: 100 } : undefined;
  const reads = new RedisReadLock(commands, scheduler, replicas);
  const writes = new RedisWriteLock(commands, scheduler, replicas);
  const left = new Map(Object.entries(answers).map(([script, list]) => [script, [...list]]));
  commands.answer = async (one) => {
    const list = left.get(one.script) ?? [];
    const answer = list.length > 1 ? list.shift() : list[0];
    if (answer === undefined) throw new Error(`No answer for ${one.script}`);
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function' ? answer(one) : answer;
  };
  const conversion = new RedisConversion(commands, scheduler, reads, writes);
  const log = () =>
    sent.map(({ script, args }) => [script, args['owner'] ?? `${String(args['from'])} → ${String(args['to'])}`]);
  return { commands, clock, conversion, log, reads, writes };
};

const WAYS = [
  ['upgrade', 'read-lock/upgrade', upgraded, 'read-lock/release', 'write-lock/release'],
  ['downgrade', 'write-lock/downgrade', downgraded, 'write-lock/release', 'read-lock/release'],
] as const;

describe.each(WAYS)('A request to %s', (way, script, done, releaseFrom, releaseTo) => {
  it('is sent once, with an end, and resolves with the reply', async () => {
    const { conversion, commands, log } = setUp({ [script]: [done] });
    await expect(conversion[way](REQUEST)).resolves.toMatchObject({ outcome: 'held', sent: { startedAt: 0 } });
    expect(log()).toEqual([[script, 'me:1 → me:2']]);
    expect(commands.sent).toMatchObject([{ args: { stem: '{n}:', lease: LEASE, notAfter: 1000 } }]);
  });

  it('is sent again if the server refused it as late, while there is time', async () => {
    const late = ({ at }: SentScript) => (way === 'upgrade' ? ['late', 0, at] : ['late', at]);
    const { conversion, log } = setUp({ [script]: [late, NOT_SENT, done] });
    await expect(conversion[way](REQUEST)).resolves.toMatchObject({ outcome: 'held' });
    expect(log()).toHaveLength(3);
  });

  it.each([
    ['refused', REFUSED],
    ['refused for good', DENIED],
  ])('fails if it was %s, and nothing is released', async (_, error) => {
    const { conversion, clock, log } = setUp({ [script]: [error] });
    await expect(conversion[way](REQUEST)).rejects.toBe(error);
    await clock.advance(60_000);
    expect(log()).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('that has an unknown outcome is not repeated: both owners are released, until that is certain', async () => {
    const { conversion, clock, log } = setUp({ [script]: [UNKNOWN], [releaseFrom]: [notHeld], [releaseTo]: [notHeld] });
    const settled = settlementOf(conversion[way](REQUEST), clock);
    await clock.advance(500);
    expect(settled).toMatchObject([{ at: 0, value: { outcome: 'unconfirmed', reason: UNKNOWN } }]);
    // The request may still be executed: nothing is certain before its end.
    expect(clock.pending).toBeGreaterThan(0);
    await clock.advance(60_000);
    const released = log().slice(1);
    expect(released.filter(([, owner]) => owner === 'me:1').every(([name]) => name === releaseFrom)).toBe(true);
    expect(released.filter(([, owner]) => owner === 'me:2').every(([name]) => name === releaseTo)).toBe(true);
    expect(new Set(released.map(([, owner]) => owner))).toEqual(new Set(['me:1', 'me:2']));
    expect(clock.pending).toBe(0);
  });

  it('that too few replicas have is released, and unconfirmed', async () => {
    const { conversion, clock, log } = setUp(
      { [script]: [done], [releaseTo]: [({ at }) => ['released', at]] },
      { withReplicas: true },
    );
    const reply = await conversion[way](REQUEST);
    expect(reply).toMatchObject({ outcome: 'unconfirmed', reason: { code: 'LOCK_UNAVAILABLE' } });
    await clock.advance(60_000);
    expect(log()).toEqual([
      [script, 'me:1 → me:2'],
      [releaseTo, 'me:2'],
    ]);
  });

  it('that enough replicas have is confirmed', async () => {
    const { conversion, commands, log } = setUp({ [script]: [done] }, { withReplicas: true });
    commands.replicas = async () => 1;
    await expect(conversion[way](REQUEST)).resolves.toMatchObject({ outcome: 'held' });
    expect(log()).toHaveLength(1);
  });
});

describe('A request to upgrade', () => {
  it.each([
    [['others', 3, 0], { outcome: 'others', readers: 3 }],
    [['writes', 0, 0], { outcome: 'writes' }],
    [['lost', 0, 0], { outcome: 'lost' }],
  ])('that the server answers with %j changes nothing', async (answer, value) => {
    const { conversion, log, clock } = setUp({ 'read-lock/upgrade': [answer] }, { withReplicas: true });
    await expect(conversion.upgrade(REQUEST)).resolves.toEqual(value);
    await clock.advance(60_000);
    expect(log()).toHaveLength(1);
  });
});

describe('A downgrade during the move of its slot', () => {
  const torn = { 'write-lock/downgrade': [['torn', 0]], 'read-lock/keep-timeout': [['kept', 0]] };
  const counted = (reads: number): Answer => ['locked', '', reads, LEASE];

  it('is done once the time-out key is there, if the lock still counts the read', async () => {
    const { conversion, commands } = setUp({ ...torn, 'read-lock/inspect': [counted(1)] });
    await expect(conversion.downgrade(REQUEST)).resolves.toMatchObject({ outcome: 'held' });
    expect(commands.sent).toMatchObject([
      { script: 'write-lock/downgrade' },
      { script: 'read-lock/keep-timeout', keys: { timeout: '{n}:me:2:rwlock_timeout:1' }, args: { lease: LEASE } },
      { script: 'read-lock/inspect', args: { owner: 'me:2' } },
    ]);
  });

  it.each([
    ['the lock was freed before the time-out key was there', { ...torn, 'read-lock/inspect': [counted(0)] }],
    ['the time-out key could not be created', { ...torn, 'read-lock/keep-timeout': [UNKNOWN] }],
  ])('is unconfirmed if %s', async (_, answers) => {
    const released = { 'write-lock/release': [notHeld], 'read-lock/release': [notHeld] };
    const { conversion, clock, log } = setUp({ ...answers, ...released });
    const reply = await conversion.downgrade(REQUEST);
    expect(reply).toMatchObject({ outcome: 'unconfirmed', reason: { outcome: 'unknown' } });
    await clock.advance(60_000);
    expect(log()).toEqual(
      expect.arrayContaining([
        ['write-lock/release', 'me:1'],
        ['read-lock/release', 'me:2'],
      ]),
    );
    expect(clock.pending).toBe(0);
  });
});
