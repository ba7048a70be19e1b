import {
  LockAbortedError,
  LockConflictError,
  LockOptionsError,
  LockTimeoutError,
  LockKeyTypeError,
  type LockService,
} from '../../lib/standalone.js';
import type { SingleFlightOptions } from '../../lib/advanced.js';
import { thrownBy } from '../kit/caught.js';
import { onEveryBackend } from '../kit/every-backend.js';
import type { World } from '../kit/world.js';
import type { Client } from '../kit/client.js';
import { ReentrantLock } from '../../lib/locks/reentrant-lock.js';
import { flightLock, flightResult } from '../../lib/keys/redisson-keys.js';

const NAME = 'report';
const LIMIT_MS = 5000;

/** Work that the test ends. */
class Work {
  runs = 0;
  private readonly endings: (() => void)[] = [];

  readonly run = async (): Promise<unknown> => {
    this.runs += 1;
    const run = this.runs;
    await new Promise<void>((resolve) => this.endings.push(resolve));
    return this.outcome(run);
  };

  constructor(private readonly outcome: (run: number) => unknown = (run) => ({ run })) {}

  end(): void {
    for (const end of this.endings.splice(0)) end();
  }
}

const share = (locks: LockService, work: Work, options: SingleFlightOptions = {}): Promise<unknown> =>
  locks.singleFlight<unknown>(NAME, options, work.run);

class SoldOut extends Error {
  override readonly name = 'SoldOut';

  constructor(readonly skus: readonly string[]) {
    super(`Sold out: ${skus.join()}`);
  }
}

onEveryBackend((world: World) => {
  const until = (condition: () => boolean | Promise<boolean>): Promise<unknown> =>
    world.time.until(condition, LIMIT_MS);
  const finish = <T>(work: Promise<T>): Promise<T> => world.time.finish(work, LIMIT_MS);
  const openTwo = async (): Promise<readonly [Client, Client]> => [await world.open(), await world.open()];
  /** Resolves when a client waits for the result of another one. */
  const waits = ({ runtime }: Client): Promise<unknown> => until(() => runtime.acquirer.contended === 1);

  /** The lock under which a client makes the result. */
  const lockOf = ({ runtime }: Client): ReentrantLock => new ReentrantLock(runtime, flightLock(NAME));

  describe('A single flight', () => {
    it('D11: runs once for all concurrent calls in one scope', async () => {
      const { locks } = await world.open();
      const work = new Work();
      const [first, second] = await locks.runInScope(async () => {
        const begun = share(locks, work);
        await until(() => work.runs === 1);
        return [begun, share(locks, work)];
      });
      const results = Promise.all([first, second]);
      await world.time.pass(50);
      work.end();
      await expect(finish(results)).resolves.toEqual([{ run: 1 }, { run: 1 }]);
      expect(work.runs).toBe(1);
    });

    it('D11: runs again for its own nested call in a scope, instead of waiting for itself', async () => {
      const { locks } = await world.open();
      const nested = async (): Promise<unknown> => ({ outer: await locks.singleFlight(NAME, async () => 'inner') });
      const result = locks.runInScope(() => locks.singleFlight<unknown>(NAME, nested));
      await expect(finish(result)).resolves.toEqual({ outer: 'inner' });
    });

    it('SF-01 runs once for all concurrent calls, in all processes', async () => {
      const [here, there] = await openTwo();
      const work = new Work();
      const calls = [share(here.locks, work), share(here.locks, work)];
      await until(() => work.runs === 1);
      calls.push(share(there.locks, work), share(there.locks, work));
      await waits(there);
      work.end();
      expect(await finish(Promise.all(calls))).toEqual(Array(4).fill({ run: 1 }));
      expect(work.runs).toBe(1);
      expect(here.runtime.grants.size + there.runtime.grants.size).toBe(0);
      expect(await world.probe.names()).toEqual([flightResult(NAME)]);
    });

    it('SF-02 runs again for later calls', async () => {
      const { locks } = await world.open();
      for (let run = 1; run <= 2; run++) {
        const work = new Work(() => run);
        const call = share(locks, work);
        await until(() => work.runs === 1);
        work.end();
        expect(await finish(call)).toBe(run);
        await world.time.pass(2);
      }
    });

    it('SF-03 returns its result for `ttl`', async () => {
      const [here, there] = await openTwo();
      const work = new Work();
      const options = { ttl: 400 };
      const first = share(here.locks, work, options);
      await until(() => work.runs === 1);
      work.end();
      await finish(first);
      expect(await finish(share(there.locks, work, options))).toEqual({ run: 1 });
      expect(await finish(share(here.locks, work, options))).toEqual({ run: 1 });
      await world.time.pass(401);
      const later = share(there.locks, work, options);
      await until(() => work.runs === 2);
      work.end();
      expect(await finish(later)).toEqual({ run: 2 });
    });

    it('SF-04 shares its error with earlier callers only', async () => {
      const [here, there] = await openTwo();
      const work = new Work((run) => {
        if (run === 1) throw new SoldOut(['a', 'b']);
        return run;
      });
      const options = { ttl: '1m', errors: [SoldOut] } as const;
      const calls = [share(here.locks, work, options), share(here.locks, work, options)];
      await until(() => work.runs === 1);
      calls.push(share(there.locks, work, options));
      await waits(there);
      const ended = Promise.allSettled(calls);
      work.end();
      const reasons = (await finish(ended)).map((each) => (each.status === 'rejected' ? each.reason : 'none'));
      for (const reason of reasons) {
        expect(reason).toBeInstanceOf(SoldOut);
        expect(reason).toMatchObject({ name: 'SoldOut', message: 'Sold out: a,b', skus: ['a', 'b'] });
      }
      expect(reasons[0]).toBe(reasons[1]);
      expect(String(reasons[2].stack)).toContain('single-flight.spec');
      await world.time.pass(2);
      const next = share(there.locks, work, options);
      await until(() => work.runs === 2);
      work.end();
      expect(await finish(next)).toBe(2);
    });

    it('SF-05 restores errors of locks, of the language and, by their names, all others in other processes', async () => {
      const [here, there] = await openTwo();
      const stranger = Object.assign(new SoldOut(['a']), { code: 'E_SOLD_OUT', connection: { password: 'secret' } });
      const timeout = new LockTimeoutError('Too slow', { lockName: 'n', details: { remaining: 7 } });
      const shared: [thrown: unknown, seen: unknown][] = [
        [timeout, timeout],
        [new RangeError('too long'), new RangeError('too long')],
        [stranger, expect.objectContaining({ name: 'SoldOut', message: 'Sold out: a', code: 'E_SOLD_OUT' })],
        [{ no: 'error' }, { no: 'error' }],
        [undefined, 'undefined'],
      ];
      for (const [thrown, seen] of shared) {
        const work = new Work(() => {
          throw thrown;
        });
        const own = share(here.locks, work).catch((error: unknown) => error);
        await until(() => work.runs === 1);
        const other = share(there.locks, work).catch((error: unknown) => error);
        await waits(there);
        work.end();
        expect(await finish(own)).toBe(thrown);
        const found = await finish(other);
        expect(found).toEqual(seen);
        expect(found).not.toHaveProperty('connection');
        expect(found instanceof LockTimeoutError).toBe(thrown === timeout);
        expect(found instanceof RangeError).toBe(thrown instanceof RangeError);
        await world.time.pass(2);
      }
    });

    it('SF-06 gives each caller its own copy decoded from JSON', async () => {
      const [here, there] = await openTwo();
      const date = new Date(0);
      const work = new Work(() => ({ date, list: [1], none: undefined }));
      const own = share(here.locks, work);
      await until(() => work.runs === 1);
      const others = [share(here.locks, work), share(there.locks, work)];
      await waits(there);
      work.end();
      const results = await finish(Promise.all([own, ...others]));
      for (const result of results) expect(result).toStrictEqual({ date: date.toJSON(), list: [1] });
      expect(new Set(results).size).toBe(3);
      const nothing = new Work(() => undefined);
      await world.time.pass(2);
      const call = share(here.locks, nothing);
      await until(() => nothing.runs === 1);
      const elsewhere = share(there.locks, nothing);
      await waits(there);
      nothing.end();
      expect(await finish(Promise.all([call, elsewhere]))).toEqual([undefined, undefined]);
    });

    it('SF-07 refuses a result that is not JSON-serializable, for all callers', async () => {
      const circular: Record<string, unknown> = {};
      circular['self'] = circular;
      const { locks } = await world.open();
      const stream = (async function* () {})();
      for (const result of [1n, circular, () => {}, Symbol('s'), stream, { subscribe: () => {} }]) {
        const work = new Work(() => result);
        const call = share(locks, work).catch((error: unknown) => error);
        await until(() => work.runs === 1);
        work.end();
        const error = await finish(call);
        expect(error).toBeInstanceOf(TypeError);
        expect(String(error)).toContain(`result for "${NAME}" cannot be shared`);
        await world.time.pass(2);
      }
    });

    it('SF-08 waits for the run of others no longer than `wait`, and does not disturb it', async () => {
      const [here, there] = await openTwo();
      const work = new Work();
      const own = share(here.locks, work);
      await until(() => work.runs === 1);
      for (const locks of [here.locks, there.locks]) {
        await expect(finish(share(locks, work, { wait: 0 }))).rejects.toBeInstanceOf(LockConflictError);
        await expect(finish(share(locks, work, { wait: 20 }))).rejects.toBeInstanceOf(LockTimeoutError);
        const stop = new AbortController();
        const stopped = share(locks, work, { signal: stop.signal });
        stop.abort(new Error('enough'));
        await expect(finish(stopped)).rejects.toBeInstanceOf(LockAbortedError);
      }
      work.end();
      expect(await finish(own)).toEqual({ run: 1 });
      await until(() => there.runtime.acquirer.contended === 0);
    });

    it('SF-09 continues for the other callers when the one that waits for all of them gives up', async () => {
      const [here, there] = await openTwo();
      const work = new Work();
      const own = share(here.locks, work);
      await until(() => work.runs === 1);
      const stop = new AbortController();
      const first = share(there.locks, work, { signal: stop.signal }).catch((error: unknown) => error);
      await waits(there);
      const others = [share(there.locks, work), share(there.locks, work, { wait: '1m' })];
      stop.abort();
      expect(await finish(first)).toBeInstanceOf(LockAbortedError);
      await waits(there);
      work.end();
      expect(await finish(Promise.all([own, ...others]))).toEqual(Array(3).fill({ run: 1 }));
    });

    it.each<readonly [string, SingleFlightOptions, new (...args: never[]) => Error]>([
      ['has no time to wait', { wait: 0 }, LockConflictError],
      ['waits for a short time', { wait: 20 }, LockTimeoutError],
    ])(
      'SF-09 continues for the other callers when the one that waits for all of them %s',
      async (_, options, error) => {
        const [here, there] = await openTwo();
        const work = new Work();
        const own = share(here.locks, work);
        await until(() => work.runs === 1);
        const first = share(there.locks, work, options).catch((reason: unknown) => reason);
        const others = [share(there.locks, work), share(there.locks, work, { wait: '1m' })];
        expect(await finish(first)).toBeInstanceOf(error);
        await waits(there);
        work.end();
        expect(await finish(Promise.all([own, ...others]))).toEqual(Array(3).fill({ run: 1 }));
      },
    );

    it('SF-10 runs in another process after its process died', async () => {
      const [here, there] = await openTwo();
      const work = new Work();
      const own = share(here.locks, work).catch(() => {});
      await until(() => work.runs === 1);
      const other = share(there.locks, work);
      await waits(there);
      // The key is removed as at the end of its lease.
      await world.probe.remove(flightLock(NAME));
      await lockOf(here).forceRelease();
      await until(() => work.runs === 2);
      // The first process is alive after all. Its result is for its own callers only.
      work.end();
      expect(await finish(other)).toEqual({ run: 2 });
      await finish(own);
    });

    it('SF-11 overwrites nothing when its lock was lost', async () => {
      const [here, there] = await openTwo();
      const [slow, quick] = [new Work(() => 'slow'), new Work(() => 'quick')];
      const late = share(here.locks, slow, { ttl: '1m' });
      await until(() => slow.runs === 1);
      await lockOf(there).forceRelease();
      const newer = share(there.locks, quick, { ttl: '1m' });
      await until(() => quick.runs === 1);
      quick.end();
      expect(await finish(newer)).toBe('quick');
      slow.end();
      expect(await finish(late)).toBe('slow');
      expect(await finish(share(there.locks, slow, { ttl: '1m' }))).toBe('quick');
    });

    it('SF-12 runs again for a nested call, instead of waiting for itself', async () => {
      const { locks } = await world.open();
      const factorial = (n: number): Promise<number> =>
        locks.singleFlight(NAME, async () => (n <= 1 ? 1 : n * (await factorial(n - 1))));
      expect(await finish(factorial(4))).toBe(24);
    });

    it('SF-13 runs as the owner of its lock, which no other lock of the name meets', async () => {
      const { locks } = await world.open();
      const seen = await finish(
        locks.withLock(NAME, () =>
          locks.singleFlight(NAME, { lease: '1m' }, (hold) => [hold.name, locks.currentHold()?.name]),
        ),
      );
      expect(seen).toEqual([flightLock(NAME), flightLock(NAME)]);
    });

    it('SF-14 reports a key of another type under its names', async () => {
      const { locks, events } = await world.open();
      await world.probe.put(flightResult(NAME), 'somebody', 60_000);
      const work = new Work();
      await expect(finish(share(locks, work))).rejects.toBeInstanceOf(LockKeyTypeError);
      expect(work.runs).toBe(0);
      await world.probe.remove(flightResult(NAME));
      const call = share(locks, work);
      await until(() => work.runs === 1);
      await world.probe.put(flightResult(NAME), 'somebody', 60_000);
      work.end();
      // The result was made, and goes to the callers that waited here.
      expect(await finish(call)).toEqual({ run: 1 });
      expect(events).toContainEqual({
        type: 'result-not-shared',
        lockName: NAME,
        error: expect.any(LockKeyTypeError),
      });
    });

    it.each(['-null', '-{', '+{', '-{"name":1}'])('D13: reports %s in place of a result', async (text) => {
      const client = await world.open();
      const { locks, runtime } = client;
      const hold = await lockOf(client).acquire();
      await runtime.backend.singleFlight.save({ name: NAME, owner: hold.owner, text, keep: 60_000 });
      await hold.release();
      const work = new Work();
      await expect(finish(share(locks, work, { ttl: '1m' }))).rejects.toBeInstanceOf(LockKeyTypeError);
      expect(work.runs).toBe(0);
    });

    it('SF-15 refuses invalid options and values that are not functions', async () => {
      const { locks } = await world.open();
      const calls: readonly [options: object, text: string][] = [
        [{ ttl: 'soon' }, 'ttl must be'],
        [{ ttl: -1 }, 'ttl must be'],
        [{ ttl: Number.POSITIVE_INFINITY }, 'ttl must be'],
        [{ errors: [Error.prototype] }, 'errors must be a list of classes that extend Error'],
        [{ fair: true }, 'unknown option "fair"'],
        [{ lease: 1 }, 'lease must be'],
        [{ connection: 'no' }, 'connection must be'],
      ];
      for (const [options, text] of calls) {
        const call = locks.singleFlight(NAME, options as SingleFlightOptions, () => 1);
        await expect(call).rejects.toThrow(text);
        await expect(call).rejects.toBeInstanceOf(LockOptionsError);
      }
      await expect(locks.singleFlight(NAME, 'no function' as never)).rejects.toThrow('needs a function to run');
      expect(thrownBy(() => locks.forConnection('no'), LockOptionsError)).toBeDefined();
    });
  });
});
