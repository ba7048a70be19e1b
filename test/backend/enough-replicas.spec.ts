import type { GivenUp } from '../../lib/backend/backend-listener.js';
import { IdempotentRequests } from '../../lib/backend/commands/idempotent-requests.js';
import { RedisPermits } from '../../lib/backend/kinds/permits/permits.js';
import { RedisLatch, RedisSemaphore } from '../../lib/backend/kinds/counters/counters.js';
import { ScriptedCommands, unavailable } from './scripted-commands.js';

const ID = '0'.repeat(32);

/** A server that executes every command, and replicas whose acknowledgements the test counts. */
const setUp = () => {
  const commands = new ScriptedCommands();
  const { scheduler, clock } = commands;
  const replicas = { min: 1, timeout: 100 };
  const givenUp: GivenUp[] = [];
  const tell = (what: GivenUp): void => void givenUp.push(what);
  const requests = new IdempotentRequests(commands, scheduler, tell, replicas);
  const replies: Record<string, () => readonly unknown[]> = {
    'semaphore/take': () => ['taken', '', 0, 1],
    'semaphore/undo': () => ['undone', 1],
    'semaphore/release': () => ['released', '', 0, 3],
    'counter/count-down': () => ['counted', '', 0],
    'permits/acquire': () => ['acquired', '', 0, 1, 0],
    'permits/release-all': () => ['released', '', 1, 0],
    'counter/forget': () => [1],
  };
  commands.answer = async ({ script }) => replies[script]?.() ?? [];
  const scripts = (): readonly string[] => commands.sent.map(({ script }) => script);
  return {
    commands,
    clock,
    replies,
    scripts,
    givenUp,
    semaphore: new RedisSemaphore(commands, requests, scheduler),
    latch: new RedisLatch(commands, requests, scheduler),
    permits: new RedisPermits(commands, requests, scheduler, tell, replicas),
  };
};
type Bench = ReturnType<typeof setUp>;

describe('A change that too few replicas have', () => {
  it.each([
    ['release', ({ semaphore }: Bench) => semaphore.release('s', 2), 'semaphore/release'],
    ['count-down', ({ latch }: Bench) => latch.countDown('s'), 'counter/count-down'],
  ] as const)(
    'D25: a %s is repeated by its idempotency key, on the current master, until enough replicas have it',
    async (_, call, script) => {
      const bench = setUp();
      await expect(call(bench)).rejects.toMatchObject({ outcome: 'unknown', permanent: false });
      await bench.clock.advance(250);
      const asked = bench.commands.sent.filter((sent) => sent.script === script);
      expect(asked.length).toBeGreaterThan(2);
      expect(new Set(asked.map(({ keys }) => keys['marker'])).size).toBe(1);
      bench.commands.replicas = async () => 1;
      await bench.clock.advance(200);
      const { length } = bench.commands.sent;
      await bench.clock.advance(1000);
      expect(bench.commands.sent).toHaveLength(length);
      expect(bench.scripts()).not.toContain('counter/forget');
      await bench.clock.advance(60_000);
      expect(bench.scripts().slice(length)).toEqual(['counter/forget']);
      expect(bench.givenUp).toEqual([]);
    },
  );

  it.each([
    ['permits', ({ semaphore }: Bench) => semaphore.take('s', 2), 'semaphore/undo'],
    [
      'permits with ids',
      ({ permits }: Bench) => permits.acquire({ name: 's', ids: [ID], lease: Infinity }),
      'permits/release-all',
    ],
  ] as const)('D25: %s are released in the background if that fails at first', async (_, call, undo) => {
    const bench = setUp();
    const undone = bench.replies[undo];
    bench.replies[undo] = () => {
      throw unavailable('refused', 'LOADING');
    };
    await expect(call(bench)).rejects.toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('Only 0 of 1'),
    });
    await bench.clock.advance(300);
    if (undone) bench.replies[undo] = undone;
    await bench.clock.advance(200);
    const { length } = bench.commands.sent;
    expect(bench.scripts().at(-1)).toBe(undo);
    await bench.clock.advance(5000);
    expect(bench.commands.sent).toHaveLength(length);
  });

  it('D25: is not confirmed if nothing was changed', async () => {
    const { commands, semaphore, latch, replies } = setUp();
    replies['semaphore/take'] = () => ['too-few', '', 0, 1];
    replies['counter/count-down'] = () => ['open', '', 0];
    commands.replicas = () => Promise.reject(new Error('asked'));
    await expect(semaphore.take('s', 2)).resolves.toMatchObject({ outcome: 'too-few' });
    await latch.countDown('s');
  });

  it('D25: fails permanently if replicas cannot be counted, with the reason', async () => {
    const { commands, semaphore } = setUp();
    commands.replicas = () => Promise.reject(unavailable('refused', 'no WAIT', true));
    await expect(semaphore.take('s', 2)).rejects.toMatchObject({
      permanent: true,
      lockName: 's',
      message: 'How many replicas have the change of "s" is unknown; it was undone: no WAIT',
    });
  });
});
