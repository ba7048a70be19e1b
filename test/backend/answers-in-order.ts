import type { ManualClock } from '../../lib/testing/manual-clock.js';
import type { ScriptedCommands, SentScript } from './scripted-commands.js';

/** The reply to a command, or the error that it fails with. A constant reply may be given without a function. */
export type Answer = Error | readonly unknown[] | ((sent: SentScript) => readonly unknown[]);

/** An answer that comes after `after` ms. */
export interface LateAnswer {
  readonly after: number;
  readonly answer: Answer;
}

const isLate = (answer: Answer | LateAnswer): answer is LateAnswer => 'after' in answer;

/** Answers commands in the order in which they are sent; a command after the last answer fails permanently. */
export const answerInOrder = (commands: ScriptedCommands, ...answers: readonly (Answer | LateAnswer)[]): void => {
  const left = [...answers];
  commands.answer = async (sent) => {
    const next = left.shift();
    if (next === undefined) throw new Error(`No answer is left for ${sent.script} at ${sent.at} ms`);
    if (isLate(next)) await commands.scheduler.pause(next.after);
    const answer = isLate(next) ? next.answer : next;
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function' ? answer(sent) : answer;
  };
};

/** The end of a call, and its instant on the clock. */
export interface Settlement {
  readonly at: number;
  readonly value?: unknown;
  readonly error?: unknown;
}

/** Empty while the call is pending. Afterwards it has the one settlement of the call. */
export const settlementOf = (call: Promise<unknown>, clock: ManualClock): readonly Settlement[] => {
  const settled: Settlement[] = [];
  void call.then(
    (value) => settled.push({ at: clock.now(), value }),
    (error: unknown) => settled.push({ at: clock.now(), error }),
  );
  return settled;
};
