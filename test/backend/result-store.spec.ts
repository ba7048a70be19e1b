import { RedisResultStore } from '../../lib/backend/kinds/single-flight/result-store.js';
import { type Answer, answerInOrder, settlementOf } from './answers-in-order.js';
import { ScriptedCommands } from './scripted-commands.js';
import { DENIED, REFUSED, UNKNOWN } from './scripted-lock.js';

const RESULT = { name: 'n', owner: 'me:1', text: '1', keep: 1000 };

describe('Saving the result of a single flight', () => {
  const setUp = (...answers: readonly Answer[]) => {
    const commands = new ScriptedCommands();
    answerInOrder(commands, ...answers);
    const results = new RedisResultStore(commands, commands.scheduler);
    const saving = settlementOf(results.save(RESULT), commands.clock);
    return { commands, clock: commands.clock, saving };
  };

  it.each<readonly [first: string, second: string, value: string, readonly Answer[]]>([
    ['kept', 'not sent', 'kept', [['kept', '', 0]]],
    ['lost', 'not sent', 'lost', [['lost', '', 0]]],
    ['unknown', 'kept', 'kept', [UNKNOWN, ['kept', '', 0]]],
    ['refused', 'lost', 'lost', [REFUSED, ['lost', '', 0]]],
  ])('(first attempt %s, second attempt %s) resolves with "%s"', async (_1, _2, value, answers) => {
    const { commands, clock, saving } = setUp(...answers);
    await clock.advance(60_000);
    expect(saving).toEqual([{ at: 0, value }]);
    expect(commands.sent).toHaveLength(answers.length);
  });

  it.each<readonly [first: string, second: string, error: Error, readonly Answer[]]>([
    ['refused for good', 'not sent', DENIED, [DENIED]],
    ['refused', 'unknown', UNKNOWN, [REFUSED, UNKNOWN]],
    ['unknown', 'refused', UNKNOWN, [UNKNOWN, REFUSED]],
    ['unknown', 'refused for good', UNKNOWN, [UNKNOWN, DENIED]],
  ])(
    '(first attempt %s, second attempt %s) fails, with an unknown outcome if there is one',
    async (_1, _2, error, answers) => {
      const { commands, clock, saving } = setUp(...answers);
      await clock.advance(60_000);
      expect(saving).toEqual([{ at: 0, error }]);
      expect(commands.sent).toHaveLength(answers.length);
    },
  );
});
