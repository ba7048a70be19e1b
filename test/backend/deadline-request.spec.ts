import {
  type DeadlineRequest,
  errorOfTwo,
  type RequestLimits,
  sendWithDeadline,
} from '../../lib/backend/commands/deadline-request.js';
import { wrongKeyType } from '../../lib/errors.js';
import type { Stopwatch } from '../../lib/time/scheduler.js';
import { settlementOf } from './answers-in-order.js';
import { ScriptedCommands, unavailable } from './scripted-commands.js';

/** A server with a clock of its own, behind a connection that the test opens. */
class Commands extends ScriptedCommands {
  /** The estimated time by which the server's clock is ahead of the test's, ms. */
  ahead = 0;
  /** The time by which the fastest clock is ahead of the server's, ms. */
  spread = 0;
  connect = (): void => {};
  failToConnect = (_error: Error): void => {};

  override serverTime(): number {
    return super.serverTime() + this.ahead;
  }

  override latest(_key: string, notAfter: number): number {
    return notAfter + this.spread;
  }

  override whenConnected(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.connect = resolve;
      this.failToConnect = reject;
    });
  }
}

type Reply = 'late' | { readonly value: string };

const DEADLINE = 1000;

/** Sends a request with a deadline. Each attempt lasts 10 ms, and ends with the next answer. */
const setUp = (...answers: readonly (Reply | Error)[]) => {
  const commands = new Commands();
  const { clock, scheduler } = commands;
  const left = [...answers];
  const tries: (RequestLimits & { readonly at: number })[] = [];
  const unknown: number[] = [];
  const ask = (changes: Partial<DeadlineRequest<Reply, unknown>> = {}) => {
    const call = sendWithDeadline<Reply, unknown>(commands, scheduler, {
      key: 'key',
      name: 'name',
      deadline: DEADLINE,
      send: async (limits) => {
        tries.push({ at: clock.now(), ...limits });
        await scheduler.pause(10);
        const answer = left.shift();
        if (answer === undefined) throw new Error('Sent more often than expected');
        if (answer instanceof Error) throw answer;
        return answer;
      },
      read: (reply, sent) => (reply === 'late' ? undefined : { ...reply, sentAt: sent.startedAt }),
      onUnknown: (notAfter) => void unknown.push(notAfter),
      ...changes,
    });
    return settlementOf(call, clock);
  };
  return { commands, clock, tries, unknown, ask };
};

const DONE = { value: 'done' };

describe('A request with a deadline', () => {
  it.each<readonly [first: string, Reply | Error]>([
    ['was refused as late before its deadline', 'late'],
    ['could not be written', unavailable('not-sent')],
  ])('is sent again within the same deadline if it %s', async (_, first) => {
    const { clock, tries, unknown, ask } = setUp(first, first, DONE);
    const settled = ask();
    await clock.advance(5000);
    expect(tries).toEqual([0, 10, 20].map((at) => ({ at, notAfter: DEADLINE, deadline: DEADLINE })));
    // The time of the reply counts from the answered attempt.
    expect(settled).toEqual([{ at: 30, value: { value: 'done', sentAt: 20 } }]);
    expect(unknown).toEqual([]);
  });

  it.each<readonly [error: string, Error, told: readonly number[]]>([
    ['refused', unavailable('refused', 'LOADING'), []],
    ['refused for good', unavailable('refused', 'NOPERM', true), []],
    ['of unknown outcome', unavailable('unknown'), [1250]],
    ['of unknown outcome for good', unavailable('unknown', 'too old', true), [1250]],
    ['that found a key of another type', wrongKeyType('key', 'list'), []],
    ['of the program', new TypeError('broken'), []],
  ])('is not sent again after an error %s; only an unknown outcome is followed up', async (_, error, told) => {
    const { commands, clock, tries, unknown, ask } = setUp(error);
    commands.spread = 250;
    const settled = ask();
    await clock.advance(5000);
    expect(settled).toEqual([{ at: 10, error }]);
    expect(tries).toHaveLength(1);
    expect(unknown).toEqual(told);
  });

  it("sends its deadline in the server's time, as estimated at each attempt", async () => {
    const { commands, clock, tries, unknown, ask } = setUp('late', unavailable('unknown'));
    commands.ahead = 0.25;
    ask();
    await clock.advance(5);
    // The reply has corrected the estimate of the server's clock.
    commands.ahead = 300;
    await clock.advance(100);
    expect(tries).toEqual([
      { at: 0, notAfter: DEADLINE + 1, deadline: DEADLINE },
      { at: 10, notAfter: DEADLINE + 300, deadline: DEADLINE },
    ]);
    expect(unknown).toEqual([DEADLINE + 300]);
  });

  it.each(['refused', 'unknown', 'not-sent'] as const)(
    'that was granted is neither undone nor sent again if a later step fails: %s',
    async (outcome) => {
      const { commands, clock, tries, unknown, ask } = setUp(DONE);
      const read = async (_reply: Reply, sent: Stopwatch): Promise<unknown> => {
        await commands.scheduler.pause(100);
        throw unavailable(outcome, `failed after ${sent.elapsed} ms`);
      };
      const settled = ask({ read });
      await clock.advance(5000);
      expect(settled).toMatchObject([{ at: 110, error: { outcome, message: 'failed after 110 ms' } }]);
      expect(tries).toHaveLength(1);
      expect(unknown).toEqual([]);
    },
  );
});

describe('The error of a request that failed twice', () => {
  const unknown = unavailable('unknown');
  const refused = unavailable('refused');
  const notSent = unavailable('not-sent');
  const denied = unavailable('refused', 'NOPERM', true);

  it.each<readonly [first: string, second: string, reported: 'first' | 'second', Error, Error]>([
    ['unknown', 'unknown', 'first', unknown, unavailable('unknown', 'second')],
    ['unknown', 'refused', 'first', unknown, refused],
    ['unknown', 'not sent', 'first', unknown, notSent],
    ['unknown', 'denied', 'first', unknown, denied],
    ['refused', 'unknown', 'second', refused, unknown],
    ['refused', 'not sent', 'first', refused, notSent],
    ['refused', 'denied', 'second', refused, denied],
    ['not sent', 'refused', 'first', notSent, refused],
    ['refused', 'another type of key', 'second', refused, wrongKeyType('key', 'list')],
  ])('(%s, then %s) is that of the %s try', (_first, _second, reported, first, second) => {
    expect(errorOfTwo(first, second)).toBe(reported === 'first' ? first : second);
  });
});
