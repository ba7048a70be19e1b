import type { ManualClock } from '../../lib/testing/manual-clock.js';
import type { ScriptedCommands, SentScript } from './scripted-commands.js';

/** An error that a command fails with, or its reply; what stays the same may be given as it is. */
export type Answer = Error | readonly unknown[] | ((sent: SentScript) => readonly unknown[]);

/** An answer that takes so many ms. */
export interface LateAnswer {
  readonly after: number;
  readonly answer: Answer;
}

const isLate = (answer: Answer | LateAnswer): answer is LateAnswer => 'after' in answer;

/** Answers commands in the order in which they are sent; a command beyond the last answer fails for good. */
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

/** How a call settled, and at which instant of the clock. */
export interface Settlement {
  readonly at: number;
  readonly value?: unknown;
  readonly error?: unknown;
}

/** Empty while the call is pending; then holds its one settlement. */
export const settlementOf = (call: Promise<unknown>, clock: ManualClock): readonly Settlement[] => {
  const settled: Settlement[] = [];
  void call.then(
    (value) => settled.push({ at: clock.now(), value }),
    (error: unknown) => settled.push({ at: clock.now(), error }),
  );
  return settled;
};
