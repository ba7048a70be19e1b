import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { Worker } from '../servers/worker/worker.js';
import type { api, NestedOutcome, Wanted } from './nesting.worker.js';

const redis = new RedisWorld();

/** From the begin of its wait, one of the processes has given up, ms. */
const RESOLVED_WITHIN = 2500;
/** The others go on one after the other. */
const ALL_WITHIN = 20_000;

const lock = (name: string): Wanted => ({ kind: 'lock', name });

type Process = Worker<typeof api>;

inWorld(redis, ({ time }) => {
  const start = async (): Promise<Process> => {
    const file = new URL('./nesting.worker.ts', import.meta.url);
    const worker = await Worker.start<typeof api>(file, { args: [redis.server.url] });
    redis.onReset(() => worker.stop());
    await worker.call('connected');
    return worker;
  };

  /** One process for each pair: it holds the first lock, and when all do, it waits for the second. */
  const resolved = async (pairs: readonly (readonly [Wanted, Wanted])[]): Promise<readonly NestedOutcome[]> => {
    const callers = await Promise.all(pairs.map(async (pair) => [await start(), ...pair] as const));
    await Promise.all(callers.map(([process, first]) => process.call('hold', first)));
    const waits = callers.map(([process, , second]) => process.call('waitFor', second));
    return time.finish(Promise.all(waits), ALL_WITHIN);
  };

  /** How the waits ended, in the order of the alphabet. */
  const endingsOf = (outcomes: readonly NestedOutcome[]): readonly string[] =>
    outcomes
      .map(({ outcome, waited }) =>
        outcome === 'deadlock' && waited > RESOLVED_WITHIN ? `after ${waited} ms` : outcome,
      )
      .toSorted();

  describe('Processes that wait for each other', () => {
    it('go on, if there are two: one of them gives up', async () => {
      const outcomes = await resolved([
        [lock('1'), lock('2')],
        [lock('2'), lock('1')],
      ]);
      expect(endingsOf(outcomes)).toEqual(['acquired', 'deadlock']);
      const [message = ''] = outcomes.flatMap(({ message: text }) => text ?? []);
      for (const name of ['1', '2']) expect(message).toMatch(new RegExp(`holds "${name}" \\(.{36}:\\d+\\)`));
    });

    it('go on, if there are three: one of them gives up', async () => {
      const outcomes = await resolved([
        [lock('1'), lock('2')],
        [lock('2'), lock('3')],
        [lock('3'), lock('1')],
      ]);
      expect(endingsOf(outcomes)).toEqual(['acquired', 'acquired', 'deadlock']);
    });

    it('go on, if one reads what the other wants to write', async () => {
      const outcomes = await resolved([
        [{ kind: 'read', name: 'n' }, lock('x')],
        [
          { kind: 'fair', name: 'y' },
          { kind: 'write', name: 'n' },
        ],
        [lock('x'), { kind: 'fair', name: 'y' }],
      ]);
      expect(endingsOf(outcomes)).toEqual(['acquired', 'acquired', 'deadlock']);
    });

    it('go on, if they have all permits of a limit', async () => {
      const permit: Wanted = { kind: 'limit', name: 'n', limit: 2 };
      const outcomes = await resolved([
        [permit, lock('x')],
        [permit, lock('x')],
        [lock('x'), permit],
      ]);
      expect(endingsOf(outcomes)).toEqual(['acquired', 'acquired', 'deadlock']);
    });

    it('leave nothing behind', async () => {
      await resolved([
        [lock('1'), lock('2')],
        [lock('2'), lock('1')],
      ]);
      await time.until(async () => (await redis.probe.names()).length === 0, 1000);
      await expect(redis.probe.names()).resolves.toEqual([]);
    });
  });

  describe('A process that has died', () => {
    it('is in no deadlock: the other one waits until the lease ends', async () => {
      const [dying, waiting] = await Promise.all([start(), start()]);
      await dying.call('hold', lock('1'));
      await waiting.call('hold', lock('2'));
      const lost = dying.call('waitFor', lock('2')).catch(() => undefined);
      // Its record is there.
      await time.until(async () => (await redis.probe.names()).includes('{1}:blocked'), 5000);
      dying.kill('SIGKILL');
      await lost;
      const outcome = waiting.call('waitFor', lock('1'));
      await time.pass(RESOLVED_WITHIN);
      await redis.probe.remove('1');
      await expect(time.finish(outcome, 6000)).resolves.toMatchObject({ outcome: 'acquired' });
    });
  });
});
