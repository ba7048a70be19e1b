import { RedisConversion } from '../../lib/backend/kinds/read-write/conversion.js';
import { RedisReadLock, RedisWriteLock } from '../../lib/backend/kinds/read-write/read-write-lock.js';
import { LockUnavailableError } from '../../lib/errors.js';
import { ScriptedCommands, type SentScript } from './scripted-commands.js';

const OWNER = '11111111-1111-8111-8111-111111111111:1';

/** A reader that acquires while its slot moves, so that its field is in the hash before its time-out key exists. */
const acquire = async (countAfterwards: number) => {
  const commands = new ScriptedCommands();
  const replies: Record<string, (sent: SentScript) => readonly unknown[]> = {
    'read-lock/acquire': () => ['torn', 30_000, '', 0],
    'read-lock/keep-timeout': () => ['kept', 0],
    'read-lock/inspect': () => ['locked', '', countAfterwards, 30_000],
    'read-lock/release': () => ['not-held', 2000],
  };
  commands.answer = async (sent) => replies[sent.script]?.(sent) ?? [];
  const lock = new RedisReadLock(commands, commands.scheduler);
  const result = await lock.acquire({ name: 'a', owner: OWNER, lease: 30_000 }).catch((error: unknown) => error);
  await lock.finish(0);
  return { result, sent: commands.sent.map(({ script }) => script) };
};

describe('D4: a read acquired during the move of its slot', () => {
  it('is held if the lock still counts it when its time-out key is there', async () => {
    const { result, sent } = await acquire(1);
    expect(result).toMatchObject({ outcome: 'acquired' });
    expect(sent).toEqual(['read-lock/acquire', 'read-lock/keep-timeout', 'read-lock/inspect']);
  });

  it('is not held if the lock was freed before its time-out key was there, and is undone', async () => {
    const { result, sent } = await acquire(0);
    expect(result).toBeInstanceOf(LockUnavailableError);
    expect(result).toMatchObject({ outcome: 'unknown' });
    expect(sent.slice(0, 4)).toEqual([
      'read-lock/acquire',
      'read-lock/keep-timeout',
      'read-lock/inspect',
      'read-lock/release',
    ]);
  });
});

describe('D4: a writer that is downgraded', () => {
  /** The outcome, and the owners that are released later. */
  const downgrade = async (answer: 'torn' | 'held', countAfterwards: number, replicas?: { min: 1; timeout: 100 }) => {
    const commands = new ScriptedCommands();
    const { scheduler, sent } = commands;
    const replies: Record<string, readonly unknown[]> = {
      'write-lock/downgrade': [answer, 0],
      'read-lock/keep-timeout': ['kept', 0],
      'read-lock/inspect': ['locked', '', countAfterwards, 30_000],
    };
    commands.answer = async ({ script, at }) => replies[script] ?? ['not-held', at];
    const halves = [
      new RedisReadLock(commands, scheduler, replicas),
      new RedisWriteLock(commands, scheduler, replicas),
    ] as const;
    const request = { name: 'a', from: 'me:1', to: 'me:2', lease: 30_000 };
    const { outcome } = await new RedisConversion(commands, scheduler, ...halves).downgrade(request);
    await commands.clock.advance(60_000);
    const released = sent.filter(({ script }) => script.endsWith('/release')).map(({ args }) => args['owner']);
    return { outcome, released: [...new Set(released)] };
  };

  it.each([
    ['the lock still counts it when its time-out key is there', 'torn', 1, 'held', []],
    ['the lock was freed before its time-out key was there', 'torn', 0, 'unconfirmed', ['me:1', 'me:2']],
  ] as const)('during the move of its slot, where %s', async (_, answer, count, outcome, released) => {
    await expect(downgrade(answer, count)).resolves.toEqual({ outcome, released });
  });

  it('and that too few replicas have is unconfirmed, and released', async () => {
    const found = await downgrade('held', 1, { min: 1, timeout: 100 });
    expect(found).toEqual({ outcome: 'unconfirmed', released: ['me:2'] });
  });
});
