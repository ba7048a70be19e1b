import type { RedisConnection } from '../../lib/backend/connection/redis-connection.js';
import { withDeadline } from '../../lib/backend/connection/with-deadline.js';
import { ScriptCall, type ScriptServer } from '../../lib/backend/commands/script-call.js';
import { scripts } from '../../lib/backend/scripts/scripts.generated.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler, type Scheduler } from '../../lib/time/scheduler.js';
import { SteppedLoop } from '../kit/stepped-loop.js';

const DEADLINE = 200;

/** A call of the script that inspects a lock, whose reply the test gives. */
const open = <Clock extends Scheduler>(clock: Clock) => {
  const scheduler = new MonotonicScheduler(clock, (error) => {
    throw error;
  });
  const made = { reconnects: 0, observations: 0 };
  let reply = (_value: unknown): void => {};
  const send = () => new Promise((resolve) => void (reply = resolve));
  const connection: Partial<Record<keyof RedisConnection, unknown>> = {
    write: send,
    sentScripts: new Set(),
    silence: { answered: () => {}, missed: () => {} },
    writes: { begin: () => {}, end: () => {} },
    reconnect: () => void (made.reconnects += 1),
  };
  // Only these members are used.
  const server = {
    connection,
    clock: { observe: () => void (made.observations += 1) },
    turns: { answered: () => {} },
  } as unknown as ScriptServer;
  const call = new ScriptCall(
    server,
    scripts.lock.acquire,
    { lock: 'n' },
    { owner: 'me:1', lease: 9000, notAfter: 1000 },
    'n',
    false,
  );
  const outcome = withDeadline(call.send(), scheduler.now() + DEADLINE, scheduler, call).catch(String);
  return { clock, made, outcome, reply: (value: unknown) => reply(value) };
};

describe('A reply after the deadline', () => {
  it.each([
    { title: 'of the script leaves the connection as it is', value: [9000, 1000], reconnects: 0 },
    { title: 'of another script makes the connection again', value: ['withdrawn', 7], reconnects: 1 },
  ])('$title', async ({ value, reconnects }) => {
    const { clock, made, outcome, reply } = open(new ManualClock());
    await clock.advance(DEADLINE);
    await expect(outcome).resolves.toContain('did not answer');
    await clock.advance(1);
    reply(value);
    await clock.advance(0);
    expect(made.reconnects).toBe(reconnects);
  });

  it('is the only one that does: a malformed reply in time is an error of its call', async () => {
    const { clock, made, outcome, reply } = open(new ManualClock());
    reply(['withdrawn', 7]);
    await clock.advance(0);
    await expect(outcome).resolves.toContain('LockUnavailableError');
    expect(made.reconnects).toBe(0);
  });

  it.each([
    { blockedFor: DEADLINE - 1, observations: 1 },
    { blockedFor: DEADLINE + 1, observations: 0 },
  ])(
    'D71: sets no clock of the server, though it counts, if the loop was blocked: $blockedFor ms',
    async (expected) => {
      const { clock, made, outcome, reply } = open(new SteppedLoop());
      clock.block(expected.blockedFor);
      await clock.turn(() => reply([9000, 1000]));
      await expect(outcome).resolves.toEqual([9000, 1000]);
      expect(made.observations).toBe(expected.observations);
    },
  );
});
