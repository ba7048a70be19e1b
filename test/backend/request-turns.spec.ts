import { MOST_IN_FLIGHT, RequestTurns } from '../../lib/backend/commands/request-turns.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';

const TIMEOUT = 1000;

/** A connection whose replies the test gives. */
const open = () => {
  const clock = new ManualClock();
  const scheduler = new MonotonicScheduler(clock, (error) => {
    throw error;
  });
  let flushed = 0;
  const writes = { inFlight: 0, flush: () => void (flushed += 1) };
  const turns = new RequestTurns(writes, scheduler, TIMEOUT);
  const sent: number[] = [];
  const failed = new Map<number, unknown>();
  const send = (id: number): void => {
    writes.inFlight += 1;
    sent.push(id);
  };
  /** Asks for a turn, and sends with it. */
  const ask = (id: number): void => {
    const turn = turns.next(`n${id}`);
    if (!turn) return send(id);
    turn.then(
      () => send(id),
      (error: unknown) => failed.set(id, error),
    );
  };
  const answer = (count: number): void => {
    for (let left = count; left > 0; left -= 1) {
      writes.inFlight -= 1;
      turns.answered();
    }
  };
  const askMany = (from: number, to: number): void => {
    for (let id = from; id < to; id += 1) ask(id);
  };
  return { clock, writes, turns, sent, failed, ask, askMany, answer, flushed: () => flushed };
};

describe('The requests of one connection', () => {
  it('D71: are sent at once while few are in flight, and then in the order in which they were asked for', async () => {
    const { clock, writes, sent, askMany, answer, flushed } = open();
    askMany(0, 3 * MOST_IN_FLIGHT);
    expect(sent).toHaveLength(MOST_IN_FLIGHT);
    // What is held back until the end of the turn would be late.
    expect(flushed()).toBe(1);
    answer(10);
    await clock.advance(0);
    expect([sent.length, writes.inFlight]).toEqual([MOST_IN_FLIGHT + 10, MOST_IN_FLIGHT]);
    for (let round = 0; round < 3; round += 1) {
      answer(writes.inFlight);
      await clock.advance(0);
    }
    expect(sent).toEqual(Array.from({ length: 3 * MOST_IN_FLIGHT }, (_, id) => id));
  });

  it('D71: are not overtaken by one that comes when a turn was given', async () => {
    const { clock, turns, sent, ask, askMany, answer } = open();
    askMany(0, MOST_IN_FLIGHT);
    void turns.next('first')?.then(() => ask(-1));
    ask(-2);
    answer(2);
    await clock.advance(0);
    expect(sent.slice(MOST_IN_FLIGHT)).toEqual([-2, -1]);
  });

  it('D71: leave their turn to others if they do not need it any more', async () => {
    const { clock, turns, sent, askMany, answer } = open();
    askMany(0, MOST_IN_FLIGHT);
    let changedTheirMinds = 0;
    for (let count = 0; count < 5; count += 1) void turns.next('n')?.then(() => (changedTheirMinds += 1));
    askMany(MOST_IN_FLIGHT, MOST_IN_FLIGHT + 2);
    answer(2);
    await clock.advance(0);
    expect(changedTheirMinds).toBe(5);
    expect(sent.slice(MOST_IN_FLIGHT)).toEqual([MOST_IN_FLIGHT, MOST_IN_FLIGHT + 1]);
  });

  it('D71: wait as long as others are answered, and fail when none is for the time of a command', async () => {
    const { clock, sent, failed, ask, askMany, answer } = open();
    askMany(0, MOST_IN_FLIGHT + 10);
    for (let round = 0; round < 5; round += 1) {
      await clock.advance(TIMEOUT - 1);
      answer(1);
    }
    await clock.advance(0);
    expect([sent.length, failed.size]).toEqual([MOST_IN_FLIGHT + 5, 0]);
    await clock.advance(2 * TIMEOUT);
    expect([...failed.keys()]).toEqual([5, 6, 7, 8, 9].map((id) => MOST_IN_FLIGHT + id));
    expect(failed.get(MOST_IN_FLIGHT + 5)).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      outcome: 'not-sent',
      lockName: `n${MOST_IN_FLIGHT + 5}`,
      message: 'The request was not sent: Redis has answered none of 1000 earlier ones for 1000 ms',
    });
    // The next ones wait anew.
    ask(-1);
    answer(1);
    await clock.advance(0);
    expect(sent.at(-1)).toBe(-1);
  });

  it('D71: fail if their turn does not come, although others are answered', async () => {
    const { clock, failed, askMany, answer } = open();
    askMany(0, MOST_IN_FLIGHT + 100);
    for (let round = 0; round < 9; round += 1) {
      await clock.advance(TIMEOUT - 10);
      answer(1);
      await clock.advance(10);
    }
    expect(failed.size).toBe(0);
    answer(1);
    await clock.advance(2 * TIMEOUT);
    expect(failed.size).toBe(90);
    expect(failed.get(MOST_IN_FLIGHT + 99)).toMatchObject({
      outcome: 'not-sent',
      message: 'The request was not sent: its turn has not come within 10000 ms',
    });
  });
});
