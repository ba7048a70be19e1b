import { type LockScripts, PlainLockScripts } from '../../lib/backend/kinds/lock/lock-scripts.js';
import { RedisLock } from '../../lib/backend/kinds/lock/redis-lock.js';
import { type Answer, answerInOrder, type LateAnswer } from './answers-in-order.js';
import { ScriptedCommands, type SentScript, unavailable } from './scripted-commands.js';

export const LEASE = 30_000;
export const REQUEST = { name: 'n', owner: 'me:1', lease: LEASE };

export type MakeScripts = (commands: ScriptedCommands) => LockScripts;

export const plain: MakeScripts = (commands) => new PlainLockScripts(commands);

/** A lock on a server that gives these answers, in order. */
export const setUpLock = (
  answers: readonly (Answer | LateAnswer)[],
  { scripts = plain, withReplicas = false, commands = new ScriptedCommands() } = {},
) => {
  const { clock, scheduler, sent } = commands;
  const replicas = withReplicas ? { min: 1, timeout: 100 } : undefined;
  const lock = new RedisLock(commands, scheduler, scripts(commands), replicas);
  answerInOrder(commands, ...answers);
  /** The scripts so far, with their times. */
  const log = () => sent.map(({ script, at }) => [script, at]);
  return { commands, clock, lock, log };
};

/** Replies with the time of the server. */
export const acquired = ({ at }: SentScript) => [LEASE, at];
export const freed = () => [0, 0, 'released'];
export const notHeld = ({ at }: SentScript) => ['not-held', at];

export const UNKNOWN = unavailable('unknown', 'no reply');
export const REFUSED = unavailable('refused', 'LOADING');
export const DENIED = unavailable('refused', 'NOPERM', true);
export const NOT_SENT = unavailable('not-sent');
