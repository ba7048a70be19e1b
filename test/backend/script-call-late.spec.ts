import type { RedisConnection } from '../../lib/backend/redis/connection/redis-connection.js';
import { withDeadline } from '../../lib/backend/redis/connection/with-deadline.js';
import { ScriptCall, type ScriptServer } from '../../lib/backend/redis/commands/script-call.js';
import { scripts } from '../../lib/backend/redis/scripts/scripts.generated.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/monotonic-scheduler.js';

const DEADLINE = 200;

/** A call of the script that inspects a lock, whose reply the test gives. */
const open = () => {
  const clock = new ManualClock();
  const scheduler = new MonotonicScheduler(clock, (error) => {
    throw error;
  });
  const made = { reconnects: 0 };
  let reply = (_value: unknown): void => {};
  const connection: Partial<Record<keyof RedisConnection, unknown>> = {
    client: { evalsha: () => new Promise((resolve) => void (reply = resolve)) },
    writes: { begin: () => {}, end: () => {} },
    reconnect: () => void (made.reconnects += 1),
  };
  // Only these members are used.
  const server = { connection, clock: { observe: () => {} }, turns: { answered: () => {} } } as unknown as ScriptServer;
  const call = new ScriptCall(server, scripts.lock.inspect, { lock: 'n' }, { owner: '' }, 'n', false);
  const outcome = withDeadline(call.send(), scheduler.now() + DEADLINE, scheduler, call).catch(String);
  return { clock, made, outcome, reply: (value: unknown) => reply(value) };
};

describe('A reply after the deadline', () => {
  it.each([
    { title: 'of the script leaves the connection as it is', value: ['locked', '', 1, 1000], reconnects: 0 },
    { title: 'of another script makes the connection again', value: ['withdrawn', 7], reconnects: 1 },
  ])('$title', async ({ value, reconnects }) => {
    const { clock, made, outcome, reply } = open();
    await clock.advance(DEADLINE);
    await expect(outcome).resolves.toContain('did not answer');
    await clock.advance(1);
    reply(value);
    await clock.advance(0);
    expect(made.reconnects).toBe(reconnects);
  });

  it('is the only one that does: a malformed reply in time is an error of its call', async () => {
    const { clock, made, outcome, reply } = open();
    reply(['withdrawn', 7]);
    await clock.advance(0);
    await expect(outcome).resolves.toContain('LockUnavailableError');
    expect(made.reconnects).toBe(0);
  });
});
