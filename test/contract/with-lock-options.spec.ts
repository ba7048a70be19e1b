import { LockConflictError, LockOptionsError, LockTimeoutError } from '../../lib/standalone.js';
import type { WithLockOptions } from '../../lib/index.js';
import type { LockKindOptions } from '../../lib/advanced.js';
import { caught } from '../kit/caught.js';
import { onEveryBackend } from '../kit/every-backend.js';

const KINDS: readonly LockKindOptions[] = [
  {},
  { fair: true },
  { fenced: true },
  { kind: 'spin' },
  { kind: 'nonReentrant' },
  { kind: 'nonReentrant', fair: true },
  { mode: 'read' },
  { mode: 'write' },
  { mode: 'read', preference: 'writer' },
  { mode: 'write', preference: 'writer' },
];

/** Options that exclude those of a kind: for readers, a writer. */
const rivalOf = (options: LockKindOptions): LockKindOptions => (options.mode ? { mode: 'write' } : options);

/** Options from JavaScript, without a check by the compiler. */
const unchecked = (given: object): never => given as never;

onEveryBackend((world) => {
  describe.each(KINDS)('withLock of %p', (kind) => {
    it('with onConflict "skip" runs the work, or resolves with undefined at once if the lock is held', async () => {
      const [here, there] = [await world.open(), await world.open()];
      let runs = 0;
      const call = () => here.locks.withLock('n', { ...kind, onConflict: 'skip' }, () => (runs += 1));
      await expect(call()).resolves.toBe(1);
      const rival = await there.locks.acquire('n', rivalOf(kind));
      await expect(call()).resolves.toBeUndefined();
      await rival.release();
      await expect(call()).resolves.toBe(2);
    });

    it('with holdAtLeast keeps the lock after the work, and with maxHold leaves it to the watchdog', async () => {
      const [here, there] = [await world.open(), await world.open()];
      await here.locks.withLock('n', { ...kind, holdAtLeast: 300, maxHold: '10m' }, () => {});
      await expect(there.locks.tryAcquire('n', rivalOf(kind))).resolves.toBeNull();
      const next = await world.time.finish(there.locks.acquire('n', { ...rivalOf(kind), wait: '5s' }), 3000);
      await expect(next.release()).resolves.toBe('released');
    });
  });

  describe('onConflict of withLock', () => {
    it('waits as long as `wait` says before it skips', async () => {
      const [here, there] = [await world.open(), await world.open()];
      const rival = await there.locks.acquire('n');
      const start = world.time.now();
      const skipped = here.locks.withLock('n', { onConflict: 'skip', wait: 200 }, () => 'ran');
      await expect(world.time.finish(skipped, 2000)).resolves.toBeUndefined();
      expect(world.time.now() - start).toBeGreaterThanOrEqual(200);
      const served = here.locks.withLock('n', { onConflict: 'skip', wait: '5s' }, () => 'ran');
      await rival.release();
      await expect(world.time.finish(served, 2000)).resolves.toBe('ran');
    });

    it('may be a function, which gets the error and no arguments, and whose result is awaited', async () => {
      const [here, there] = [await world.open(), await world.open()];
      await there.locks.acquire('n');
      const onConflict = jest.fn(async () => 'instead');
      await expect(here.locks.withLock('n', { onConflict }, () => 'ran')).resolves.toBe('instead');
      expect(onConflict).toHaveBeenCalledWith({ error: expect.any(LockConflictError) as unknown, args: [] });
      const waiting = here.locks.withLock('n', { onConflict, wait: 50 }, () => 'ran');
      await expect(world.time.finish(waiting, 1000)).resolves.toBe('instead');
      expect(onConflict).toHaveBeenLastCalledWith({ error: expect.any(LockTimeoutError) as unknown, args: [] });
    });

    it('is not for errors of the work, nor for those that are no conflict', async () => {
      const { locks } = await world.open();
      const error = new LockConflictError('of another lock');
      const failing = locks.withLock('n', { onConflict: 'skip' }, () => {
        throw error;
      });
      await expect(failing).rejects.toBe(error);
      await expect(locks.getLock('n').isLocked()).resolves.toBe(false);
      const aborted = locks.withLock('n', { onConflict: 'skip', signal: AbortSignal.abort() }, () => {});
      await expect(aborted).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
    });

    it('throws by default, with the default wait', async () => {
      const [here, there] = [await world.open({ wait: 50 }), await world.open()];
      await there.locks.acquire('n');
      for (const options of [{}, { onConflict: 'throw' }] as const) {
        const refused = caught(
          here.locks.withLock('n', options, () => {}),
          LockTimeoutError,
        );
        await expect(world.time.finish(refused, 1000)).resolves.toMatchObject({ lockName: 'n' });
      }
    });
  });

  describe('withLock of lock objects and of limits', () => {
    it('skip a call and keep a minimum time, too', async () => {
      const [here, there] = [await world.open(), await world.open()];
      const multi = here.locks.getMultiLock('a', 'b');
      const options = { onConflict: 'skip', holdAtLeast: '5s' } as const;
      await expect(multi.withLock(options, () => 'ran')).resolves.toBe('ran');
      await expect(there.locks.getLock('a').isLocked()).resolves.toBe(true);
      await expect(there.locks.getLock('b').isLocked()).resolves.toBe(true);
      await expect(there.locks.getLock('b').withLock(options, () => 'ran')).resolves.toBeUndefined();
      await expect(here.locks.withLock('n', { limit: 1, ...options }, () => 'ran')).resolves.toBe('ran');
      await expect(there.locks.withLock('n', { limit: 1, ...options }, () => 'ran')).resolves.toBeUndefined();
    });
  });

  describe('Options that make no sense', () => {
    it.each<[object, RegExp]>([
      [{ onConflict: 'wait' }, /onConflict must be "throw", "skip", "replace" or a function/],
      [{ holdAtLeast: 5 }, /holdAtLeast/],
      [{ holdAtLeast: '2s', lease: '1s' }, /holdAtLeast and lease contradict each other/],
      [{ holdAtLeast: '2m', maxHold: '1m' }, /holdAtLeast and maxHold contradict each other/],
      [{ maxHold: '1m', lease: '1s' }, /maxHold and lease contradict each other/],
      [{ maxHold: '1m', lease: '1s', renew: false }, /maxHold and lease contradict each other/],
      [{ maxHold: '1s' }, /maxHold must not be 1000 ms: each renewal of the watchdog grants 30000 ms/],
      [{ maxHold: '1s', lease: '2s', renew: true }, /maxHold must be an integer number of milliseconds from 2000/],
      [{ maxHold: 0 }, /maxHold/],
      [{ renew: false }, /renew: false and a missing lease contradict each other/],
      [{ renew: 'yes' }, /renew must be true or false, not "yes"/],
      [{ renew: true, lease: 49 }, /lease must be an integer number of milliseconds from 50/],
    ])('withLock refuses %p before anything is sent', async (options, message) => {
      const { locks } = await world.open();
      for (const withLock of [
        () => locks.withLock('n', unchecked(options), () => {}),
        () => locks.getFairLock('n').withLock(unchecked(options), () => {}),
        () => locks.withLock('n', unchecked({ limit: 2, ...options }), () => {}),
      ]) {
        expect((await caught(withLock(), LockOptionsError)).message).toMatch(message);
      }
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it.each<WithLockOptions>([{ holdAtLeast: '1s' }, { onConflict: 'skip' }])(
      'acquire and tryAcquire refuse %p, and say where it belongs',
      async (options) => {
        const { locks } = await world.open();
        const lock = locks.getLock('n');
        for (const acquire of [
          () => locks.acquire('n', unchecked(options)),
          () => locks.tryAcquire('n', unchecked(options)),
          () => lock.acquire(unchecked(options)),
          () => lock.tryAcquire(unchecked(options)),
        ]) {
          expect((await caught(acquire(), LockOptionsError)).message).toContain('it belongs to withLock and @Locked');
        }
        await expect(world.probe.names()).resolves.toEqual([]);
      },
    );
  });
});
