import type { Hold, LockService } from '../../lib/index.js';
import {
  LockConflictError,
  LockLostError,
  LockNameError,
  LockOptionsError,
  LockTimeoutError,
} from '../../lib/standalone.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { track } from '../kit/time.js';

const ANNA = 'user:anna';
const BOB = 'user:7';

/** Locks that belong to a person or a session, and not to the code that runs. */
onEveryBackend((world) => {
  const two = async (): Promise<readonly [LockService, LockService]> => {
    const [one, other] = [await world.open(), await world.open()];
    return [one.locks, other.locks];
  };
  const edit = (locks: LockService, owner: string, wait = 0): Promise<Hold> =>
    locks.acquire('n', { owner, lease: '2m', wait });
  const ttl = async (): Promise<number> => (await world.probe.state('n')).ttl;

  describe('A lock of an owner that the application has chosen', () => {
    it.each([false, true])(
      'is acquired again by the same owner in any process, and by no other; fenced: %p',
      async (fenced) => {
        const [here, there] = await two();
        const first = await here.acquire('n', { owner: BOB, lease: '2m', fenced });
        const again = await there.acquire('n', { owner: BOB, lease: '5m', fenced, wait: 0 });
        expect(again).toMatchObject({ name: 'n', owner: BOB, isHeld: true, fence: first.fence });
        expect(await ttl()).toBeGreaterThan(290_000);
        expect((await world.probe.state('n')).owners).toEqual({ [`${BOB}:0`]: 1 });
        await expect(there.tryAcquire('n', { owner: ANNA, lease: '2m', fenced })).resolves.toBeNull();
        await expect(there.tryAcquire('n', { fenced })).resolves.toBeNull();
        await expect(there.release({ name: 'n', owner: BOB })).resolves.toBe(true);
        await expect(there.tryAcquire('n', { owner: ANNA, lease: '2m', fenced })).resolves.toMatchObject({
          owner: ANNA,
        });
      },
    );

    it.each([false, true])('is shortened by none that has it; fenced: %p', async (fenced) => {
      const [here, there] = await two();
      const long = await here.acquire('n', { owner: ANNA, lease: '5m', fenced });
      const short = await there.acquire('n', { owner: ANNA, lease: '1m', fenced });
      await short.extend('30s');
      expect(await ttl()).toBeGreaterThan(290_000);
      expect(short.remaining).toBeLessThan(61_000);
      expect(long.remaining).toBeGreaterThan(280_000);
      await long.extend('9m');
      await there.extend({ name: 'n', owner: ANNA }, '1m');
      expect(await ttl()).toBeGreaterThan(530_000);
      expect((await world.probe.state('n')).owners).toEqual({ [`${ANNA}:0`]: 1 });
    });

    it('is believed in for no longer than its owner has it again after a release', async () => {
      const [here, there] = await two();
      const long = await here.acquire('n', { owner: ANNA, lease: '5m' });
      expect(long.signal.aborted).toBe(false);
      await there.release({ name: 'n', owner: ANNA });
      await there.acquire('n', { owner: ANNA, lease: '1m' });
      await world.time.until(() => long.remaining < 60_000, 200 + world.time.slack);
    });

    it('tells others who has it', async () => {
      const [here, there] = await two();
      await edit(here, ANNA);
      await expect(edit(there, BOB)).rejects.toThrow(/^Lock "n" is held by user:anna\. Its lease ends in \d+ ms/);
      await expect(edit(there, BOB)).rejects.toMatchObject({ details: { holder: ANNA } });
      await expect(there.acquire('n', { wait: 0 })).rejects.toThrow(LockConflictError);
      const waiting = there.acquire('n', { wait: 50 });
      await expect(world.time.finish(waiting, 1000)).rejects.toThrow(LockTimeoutError);
      await expect(there.getLock('n').inspect()).resolves.toMatchObject({
        state: 'held',
        holders: [{ owner: ANNA, isThisProcess: false }],
      });
    });

    it('is extended and released by name and owner, from anywhere, as often as they are asked', async () => {
      const [here, there] = await two();
      const held = { name: 'n', owner: ANNA };
      await expect(here.extend(held, '2m')).resolves.toBe(false);
      await edit(here, ANNA);
      for (const locks of [there, here, there]) await expect(locks.extend(held, '4m')).resolves.toBe(true);
      expect(await ttl()).toBeGreaterThan(230_000);
      await expect(there.extend(held, '1m')).resolves.toBe(true);
      expect(await ttl()).toBeGreaterThan(230_000);
      await expect(there.extend({ ...held, owner: BOB }, '9m')).resolves.toBe(false);
      await expect(there.release({ ...held, owner: BOB })).resolves.toBe(false);
      await expect(there.release(held)).resolves.toBe(true);
      await expect(here.release(held)).resolves.toBe(false);
      await expect(here.extend(held, '2m')).resolves.toBe(false);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('is released by an operator that sees its owner', async () => {
      const [here, there] = await two();
      await edit(here, ANNA);
      const [holder] = (await there.getLock('n').inspect()).holders;
      await expect(there.releaseHolder('n', BOB)).resolves.toBe(false);
      await expect(there.releaseHolder('n', holder?.owner ?? '')).resolves.toBe(true);
      await expect(here.extend({ name: 'n', owner: ANNA }, '2m')).resolves.toBe(false);
    });

    it('is waited for, and goes to those of the next owner together', async () => {
      const [here, there] = await two();
      await edit(here, ANNA);
      const waiting = Promise.all([edit(there, BOB, 60_000), edit(there, BOB, 60_000), edit(there, ANNA, 60_000)]);
      const progress = track(waiting);
      await world.time.pass(200);
      // That of Anna has it already.
      expect(progress.settled).toBe(false);
      await here.release({ name: 'n', owner: ANNA });
      const ours = there.getLock('n');
      await world.time.until(async () => (await ours.inspect()).holders[0]?.owner === BOB, 500 + world.time.slack);
      await there.release({ name: 'n', owner: BOB });
      const holds = await world.time.finish(waiting, 500 + world.time.slack);
      expect(holds.map(({ owner }) => owner)).toEqual([BOB, BOB, ANNA]);
    });

    it('wakes waiters of ordinary locks, and waits for them', async () => {
      const [here, there] = await two();
      const hold = await edit(here, ANNA);
      const ordinary = there.acquire('n', { wait: '1m' });
      await world.time.pass(100);
      await expect(hold.release()).resolves.toBe('released');
      const next = await world.time.finish(ordinary, 500 + world.time.slack);
      const waiting = edit(here, ANNA, 60_000);
      await world.time.pass(100);
      await next.release();
      await expect(world.time.finish(waiting, 500 + world.time.slack)).resolves.toMatchObject({ owner: ANNA });
    });

    it('is joined by no code that runs, also in a scope, and joins none', async () => {
      const [here] = await two();
      await here.runInScope(async () => {
        const anna = await edit(here, ANNA);
        await expect(edit(here, BOB)).rejects.toThrow(LockConflictError);
        await expect(here.acquire('n', { wait: 0 })).rejects.toThrow(LockConflictError);
        await expect(here.getLock('n').isHeldByCurrentScope()).resolves.toBe(false);
        await anna.release();
        await here.withLock('n', () => expect(edit(here, ANNA)).rejects.toThrow(LockConflictError));
      });
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('ends by its lease, which aborts the signal of its hold and is no loss', async () => {
      const client = await world.open();
      const hold = await client.locks.acquire('n', { owner: ANNA, lease: 300 });
      await world.time.until(() => hold.signal.aborted, 300 + world.time.slack);
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
      await world.time.until(async () => (await world.probe.names()).length === 0, 300 + world.time.slack);
      const told = client.events.map((event) => ('how' in event ? `${event.type}: ${event.how}` : event.type));
      expect(told.filter((type) => type === 'lost')).toEqual([]);
      expect(client.locks.stats()).toMatchObject({ held: 0 });
    });

    it('outlives the process that acquired it, which waits for nothing', async () => {
      const [here, there] = [await world.open(), await world.open()];
      await edit(here.locks, ANNA);
      expect(here.runtime.grants.size).toBe(0);
      await here.close();
      await expect(there.locks.extend({ name: 'n', owner: ANNA }, '2m')).resolves.toBe(true);
    });

    it('is lost by a forced release: its hold is told by the next command', async () => {
      const [here, there] = await two();
      const hold = await edit(here, ANNA);
      await there.getLock('n').forceRelease();
      await expect(hold.extend('2m')).rejects.toThrow(LockLostError);
      expect(hold.signal.aborted).toBe(true);
      await expect(hold.release()).resolves.toBe('expired');
    });

    it('is told with the owner that was chosen, in every error', async () => {
      const [here, there] = await two();
      const hold = await edit(here, ANNA);
      const errors: unknown[] = [];
      const keep = (error: unknown): void => void errors.push(error);
      await edit(there, BOB).catch(keep);
      await hold.detach().catch(keep);
      await there.getLock('n').forceRelease();
      await hold.extend('2m').catch(keep);
      errors.push(hold.signal.reason);
      const released = await edit(here, ANNA);
      await released.release();
      await released.extend('2m').catch(keep);
      expect(errors).toHaveLength(5);
      const texts = JSON.stringify(errors.map((error) => [error, String(error)]));
      expect(texts).toContain(`no longer held by ${ANNA}:`);
      expect(texts).toContain(`cannot be detached: it belongs to ${ANNA}, so extend or release it`);
      expect(texts).not.toContain(`${ANNA}:0`);
    });
  });

  describe('Refused before anything is sent', () => {
    const refusals: readonly (readonly [object, string])[] = [
      [{ owner: '', lease: 1000 }, 'owner must be text of 1 to 256 characters'],
      [{ owner: 'a'.repeat(257), lease: 1000 }, 'owner must be text of 1 to 256 characters'],
      [{ owner: 7, lease: 1000 }, 'that is no id of a client (UUID), not 7'],
      [{ owner: 'a\nb', lease: 1000 }, 'without control characters'],
      [{ owner: '0190c0de-1111-8222-8333-444455556666', lease: 1000 }, 'that is no id of a client (UUID)'],
      [{ owner: ANNA }, 'owner and a missing lease contradict each other'],
      [{ owner: ANNA, lease: 1000, renew: true }, 'owner and renew contradict each other'],
      [{ owner: ANNA, lease: 1000, maxHold: '1m' }, 'owner and maxHold contradict each other'],
      [{ owner: ANNA, lease: 1000, fair: true }, 'owner and fair contradict each other'],
      [{ owner: ANNA, lease: 1000, mode: 'write' }, 'owner and mode contradict each other'],
      [{ owner: ANNA, lease: 1000, kind: 'redLock' }, 'owner and kind contradict each other'],
      [{ owner: ANNA, lease: 1000, limit: 3 }, 'owner and limit contradict each other'],
    ];

    it.each(refusals)('%p', async (options, message) => {
      const { locks } = await world.open();
      const before = await world.probe.commands();
      for (const refused of [locks.acquire('n', options as never), locks.tryAcquire('n', options as never)]) {
        await expect(refused).rejects.toThrow(LockOptionsError);
        await expect(refused).rejects.toThrow(message);
      }
      await expect(world.probe.commands()).resolves.toBe(before);
    });

    it('an owner of work that runs under a lock', async () => {
      const { locks } = await world.open();
      const owner = { owner: ANNA, lease: 1000 } as never;
      const belongs = 'unknown option "owner" of withLock; it belongs to acquire and tryAcquire of a name';
      await expect(locks.withLock('n', owner, () => {})).rejects.toThrow(belongs);
      await expect(locks.getLock('n').acquire(owner)).rejects.toThrow('it belongs to acquire and tryAcquire of a name');
    });

    it('what is neither a token nor a name and an owner', async () => {
      const { locks } = await world.open();
      for (const held of ['', 'e30.00000000', undefined, null, 7]) {
        await expect(locks.extend(held as never, '2m')).rejects.toThrow('token must be a token of hold.detach()');
        await expect(locks.release(held as never)).rejects.toThrow('token must be a token of hold.detach()');
      }
      await expect(locks.release({ name: 'n' } as never)).rejects.toThrow('owner must be text');
      await expect(locks.release({ owner: ANNA } as never)).rejects.toThrow(LockNameError);
      await expect(locks.release({ name: 'n', owner: ANNA, lease: 1 } as never)).rejects.toThrow(
        'unknown option "lease"',
      );
      await expect(locks.extend({ name: 'n', owner: ANNA }, 5)).rejects.toThrow('lease must be');
      await expect(locks.extend({ name: 'n', owner: ANNA }, Number.NaN)).rejects.toThrow(LockOptionsError);
    });
  });
});
