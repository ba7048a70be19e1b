import type { Hold, LockService } from '../../lib/index.js';
import { LockKeyTypeError, LockLostError, LockOptionsError } from '../../lib/standalone.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { Gate } from '../kit/gate.js';

/** Locks that the newest caller takes over. */
onEveryBackend((world) => {
  const two = async (): Promise<readonly [LockService, LockService]> => [
    (await world.open()).locks,
    (await world.open()).locks,
  ];

  /** Work under a lock that ends when its signal aborts, and `goesOn` has settled. */
  const search = (locks: LockService, options: object, goesOn = () => Promise.resolve()) => {
    let done: Promise<unknown> = Promise.resolve();
    const begun = new Promise<Hold>((begin, fail) => {
      done = locks.withLock('n', { onConflict: 'replace', ...options } as never, async (hold: Hold) => {
        begin(hold);
        await new Promise((end) => {
          hold.signal.addEventListener('abort', end, { once: true });
        });
        await goesOn();
        return hold.isHeld;
      });
      done.catch(fail);
    });
    return { done, begun };
  };
  const within = 500 + world.time.slack;

  describe('A lock that the newest caller takes over', () => {
    describe.each([
      ['in one process', 0],
      ['in two processes', 1],
    ] as const)('%s', (_, other) => {
      it.each([false, true])(
        'is taken at once, and the signal of the old holder aborts; fenced: %p',
        async (fenced) => {
          const clients = await two();
          const old = search(clients[0], { fenced });
          const before = await old.begun;
          const newer = search(clients[other], { fenced });
          const after = await world.time.finish(newer.begun, within);
          await expect(world.time.finish(old.done, within)).resolves.toBe(false);
          expect(before.signal.reason).toBeInstanceOf(LockLostError);
          expect(before.signal.reason).toMatchObject({ details: { reason: 'replaced', owner: before.owner } });
          expect(String(before.signal.reason)).toBe(
            `LockLostError: Lock "n" is taken over by a newer caller from ${before.owner}: end the work now`,
          );
          after.assertHeld();
          expect(Object.keys((await world.probe.state('n')).owners)).toEqual([after.owner]);
          expect([before.fence, after.fence].every((fence) => (fence === undefined) !== fenced)).toBe(true);
          expect((after.fence ?? 1n) > (before.fence ?? 0n)).toBe(true);
          const last = search(clients[0], { fenced });
          await world.time.finish(Promise.all([last.begun, newer.done]), within);
          await clients[0].getLock('n').forceRelease();
          await world.time.finish(last.done, within);
        },
      );

      it('is left to a holder that ends its work within the wait, and told at once', async () => {
        const clients = await two();
        const old = search(clients[0], {});
        const before = await old.begun;
        const newer = search(clients[other], { wait: '5s' });
        await world.time.until(() => before.signal.aborted, within);
        expect(before.signal.reason).toMatchObject({ details: { reason: 'replaced' } });
        // It was still held when the work ended.
        await expect(world.time.finish(old.done, within)).resolves.toBe(true);
        await world.time.finish(newer.begun, within);
        await clients[0].getLock('n').forceRelease();
        await world.time.finish(newer.done, within);
      });

      it('is taken from a holder that goes on for longer than the wait', async () => {
        const clients = await two();
        const end = new Gate();
        const old = search(clients[0], {}, () => end.pass());
        const before = await old.begun;
        const newer = search(clients[other], { wait: 500 });
        const after = await world.time.finish(newer.begun, 500 + within);
        await world.time.until(() => !before.isHeld, within);
        after.assertHeld();
        expect(() => before.assertHeld()).toThrow('is taken over by a newer caller');
        end.open();
        await expect(world.time.finish(old.done, within)).resolves.toBe(false);
        after.assertHeld();
        await clients[0].getLock('n').forceRelease();
        await world.time.finish(newer.done, within);
      });
    });

    it('is taken from holders of other calls: plain, fair, of an owner', async () => {
      const [here, there] = await two();
      for (const options of [{}, { fair: true }, { fenced: true }, { owner: 'anna', lease: '2m' }]) {
        const hold = await here.acquire('n', options as never);
        const newer = search(there, {});
        await world.time.finish(newer.begun, within);
        await world.time.until(() => hold.signal.aborted, 100 + within);
        await there.getLock('n').forceRelease();
        await world.time.finish(newer.done, within);
        expect((await world.probe.state('n')).owners).toEqual({});
      }
    });

    it('is no loss, but a release: replaced', async () => {
      const here = await world.open();
      const released: string[] = [];
      here.locks.onEvent('released', ({ how }) => void released.push(how));
      const old = search(here.locks, {});
      await old.begun;
      const newer = search(here.locks, {});
      await world.time.finish(Promise.all([newer.begun, old.done]), within);
      expect(released).toEqual(['replaced']);
      expect(here.events.filter(({ type }) => type === 'lost')).toEqual([]);
      await here.locks.getLock('n').forceRelease();
      await world.time.finish(newer.done, within);
    });

    it('is joined by the code that holds it', async () => {
      const [here] = await two();
      const options = { onConflict: 'replace' } as const;
      await expect(here.withLock('n', options, () => here.withLock('n', options, (hold) => hold.isHeld))).resolves.toBe(
        true,
      );
    });

    it('wakes those that wait for it, once the newer one has ended', async () => {
      const [here, there] = await two();
      const old = search(here, {});
      await old.begun;
      const waiting = there.acquire('n', { wait: '1m' });
      await world.time.pass(50);
      await there.withLock('n', { onConflict: 'replace', lease: 5000 }, () => {});
      const hold = await world.time.finish(waiting, within);
      expect(hold.isHeld).toBe(true);
      await hold.release();
      await world.time.finish(old.done, within);
    });

    it('is no lock of another kind: LockKeyTypeError, and nothing is changed', async () => {
      const [here, there] = await two();
      const reading = await here.acquire('n', { mode: 'read' });
      for (const wait of [0, 100])
        await expect(there.withLock('n', { onConflict: 'replace', wait }, () => {})).rejects.toThrow(LockKeyTypeError);
      reading.assertHeld();
      await reading.release();
    });
  });

  describe('Refused before anything is sent', () => {
    it.each([
      [{ fair: true }, 'onConflict "replace" and fair contradict each other'],
      [{ limit: 3 }, 'onConflict "replace" and limit contradict each other'],
      [{ mode: 'read' }, 'onConflict "replace" and mode contradict each other'],
      [{ kind: 'spin' }, 'onConflict "replace" and kind contradict each other'],
      [{ kind: 'redLock' }, 'only plain and fenced locks are taken over'],
    ])('%p', async (options, message) => {
      const { locks } = await world.open();
      const before = await world.probe.commands();
      const refused = locks.withLock('n', { onConflict: 'replace', ...options } as never, () => {});
      await expect(refused).rejects.toThrow(LockOptionsError);
      await expect(refused).rejects.toThrow(message);
      await expect(world.probe.commands()).resolves.toBe(before);
    });

    it('a lock that has its kind already', async () => {
      const { locks } = await world.open();
      await expect(locks.getFairLock('n').withLock({ onConflict: 'replace' }, () => {})).rejects.toThrow(
        'onConflict must be given with a name: locks.withLock(name, { onConflict: "replace" }, fn), not "replace"',
      );
    });
  });
});
