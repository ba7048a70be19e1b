import type { GivenUp } from '../../lib/backend/backend-listener.js';
import {
  type CounterReply,
  type IdempotentRequest,
  IdempotentRequests,
} from '../../lib/backend/commands/idempotent-requests.js';
import { type Settlement, settlementOf } from './answers-in-order.js';
import { ScriptedCommands, unavailable } from './scripted-commands.js';

export const DAY_MS = 24 * 3_600_000;

type Outcome = 'taken' | 'too-few' | 'set' | 'released';
type Reply = CounterReply<Outcome>;
export type Answer = Reply | Error;

/** A server whose clock continues while the machine of the test is suspended. */
class Commands extends ScriptedCommands {
  suspendedFor = 0;

  override serverTime(): number {
    return super.serverTime() + this.suspendedFor;
  }
}

/** @param answers The answers to tries, in order. Each comes after `duration` ms. */
export const setUpRequests = (answers: readonly Answer[], { duration = 0, withReplicas = false } = {}) => {
  const commands = new Commands();
  const { clock, scheduler } = commands;
  const givenUp: GivenUp[] = [];
  const replicas = withReplicas ? { min: 1, timeout: 100 } : undefined;
  const requests = new IdempotentRequests(commands, scheduler, (what) => void givenUp.push(what), replicas);
  commands.answer = async () => [1];
  const left = [...answers];
  const sent: (IdempotentRequest & { readonly at: number })[] = [];
  const send = async (request: IdempotentRequest): Promise<Reply> => {
    sent.push({ at: clock.now(), ...request });
    await scheduler.pause(duration);
    const answer = left.shift();
    if (answer === undefined) throw new Error('Sent more often than expected');
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const undone: (readonly [key: string, at: number])[] = [];
  /** The server's time at each undoing, or the error it fails with. The default is the time of the test. */
  const undoAnswers: (number | Error)[] = [];
  const undo = async (key: string): Promise<number> => {
    undone.push([key, clock.now()]);
    const answer = undoAnswers.shift() ?? clock.now();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const watch = (call: Promise<unknown>): readonly Settlement[] => settlementOf(call, clock);
  return {
    commands,
    clock,
    requests,
    givenUp,
    sent,
    undone,
    undoAnswers,
    times: () => sent.map(({ at }) => at),
    keys: () => [...new Set(sent.map(({ idempotencyKey }) => idempotencyKey))],
    /** The deleted keys, and the times of their deletion. */
    discarded: () => commands.sent.map(({ script, keys, at }) => [script, keys['marker'], at]),
    acquire: () => watch(requests.acquireOnce('n', { request: 'acquire', count: 2 }, send, undo)),
    change: () => watch(requests.change('n', send)),
    complete: () => watch(requests.completeInBackground('n', { request: 'release', count: 3 }, send)),
    /** Begins a call, and lets a day pass. */
    aDayAfter: async (begin: () => readonly Settlement[]): Promise<readonly Settlement[]> => {
      const settled = begin();
      await clock.advance(DAY_MS);
      return settled;
    },
  };
};

export const TAKEN: Reply = ['taken', '', 0, 5];
export const SET: Reply = ['set', '', 0];
export const RELEASED: Reply = ['released', '', 0, 3];
export const LATE: Reply = ['late', '', 0];
export const WRONG_TYPE: Reply = ['wrong-type', 'list', 0];
export const UNKNOWN = unavailable('unknown', 'no reply');
export const REFUSED = unavailable('refused', 'LOADING');
export const NOT_SENT = unavailable('not-sent', 'not written');
export const DENIED = unavailable('refused', 'NOPERM', true);
