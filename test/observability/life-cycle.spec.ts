import { channel, tracingChannel } from 'node:diagnostics_channel';
import {
  LockAbortedError,
  LockConflictError,
  type LockEvent,
  LockOptionsError,
  type LockService,
} from '../../lib/index.js';
import type { HoldTrace, WaitTrace } from '../../lib/advanced.js';
import { caught } from '../kit/caught.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { until } from '../kit/until.js';

/**
 * The library's own channels: looked up in the turn that loaded it. Node 20 may forget a channel whose predecessor of the
 * same name, that of another test file, has been collected.
 */
const RELEASED = channel('nest-redis-lock:released');
const WAIT = tracingChannel('nest-redis-lock:wait');
const HOLD = tracingChannel('nest-redis-lock:hold');

/** The events of a service from now on, but for jumps of the server's clock: those of a client beside a busy machine. */
const recorded = (locks: LockService) => {
  const events: LockEvent[] = [];
  locks.onEvent('all', (event) => {
    if (event.type !== 'clock-jumped') events.push(event);
  });
  return { events, types: () => events.map(({ type }) => type) };
};

onEveryBackend((world) => {
  describe('The life of a lock', () => {
    it('is told from the acquisition to the release, with the lock and its owner', async () => {
      const { locks } = await world.open();
      const { events } = recorded(locks);
      const hold = await locks.acquire('a');
      await hold.release();
      const lock = {
        connection: 'default',
        kind: 'reentrant',
        lockName: hold.name,
        template: undefined,
        method: undefined,
      };
      expect(events).toEqual([
        { type: 'acquired', ...lock, owner: hold.owner, waited: expect.any(Number), isContended: false },
        { type: 'released', ...lock, owner: hold.owner, heldFor: expect.any(Number), how: 'released' },
      ]);
    });

    it.each([
      ['fair', (locks: LockService) => locks.getFairLock('a')],
      ['fenced', (locks: LockService) => locks.getFencedLock('a')],
      ['spin', (locks: LockService) => locks.getSpinLock('a')],
      ['read', (locks: LockService) => locks.getReadWriteLock('a').readLock()],
      ['write', (locks: LockService) => locks.getReadWriteLock('a').writeLock()],
      ['group', (locks: LockService) => locks.getGroupLock('a', ['1'])],
    ] as const)('names the kind %s', async (kind, lockOf) => {
      const { locks } = await world.open();
      const { events } = recorded(locks);
      await (await lockOf(locks).acquire()).release();
      expect(events).toMatchObject([
        { type: 'acquired', kind },
        { type: 'released', kind },
      ]);
    });

    it.each(['getLock', 'getFairLock'] as const)('of %s tells that a caller waits, and cancels', async (kind) => {
      const [{ locks: holder }, { locks }] = [await world.open(), await world.open()];
      const hold = await holder[kind]('a').acquire();
      const { types } = recorded(locks);
      const leaving = new AbortController();
      const waiting = locks[kind]('a').acquire({ wait: Infinity, signal: leaving.signal });
      const refused = caught(waiting, LockAbortedError);
      await until(() => types().length === 1);
      leaving.abort();
      await refused;
      await hold.release();
      expect(types()).toEqual(['waiting', 'cancelled']);
    });

    it('passes to a waiter of the same process', async () => {
      const { locks } = await world.open();
      const { events } = recorded(locks);
      const hold = await locks.acquire('a');
      const waiting = locks.acquire('a');
      await until(async () => (await world.probe.waitingClients('a')) === 1);
      await hold.release();
      const next = await waiting;
      await next.release();
      // The owner stays the same for the server if it was not asked. It is asked if the waiter has not heard yet that it
      // waits there, or if the time for a hand-over is over.
      const via = next.owner === hold.owner ? 'process' : 'server';
      expect(events.map(({ type }) => type)).toHaveLength(5);
      expect(events).toMatchObject([
        { type: 'acquired', owner: hold.owner, isContended: false },
        { type: 'waiting' },
        { type: 'handed-over', via, owner: hold.owner },
        { type: 'acquired', owner: next.owner, isContended: true },
        { type: 'released', owner: next.owner },
      ]);
    });

    it('is released before a waiter of the same process asks for it, without hand-over', async () => {
      const { locks } = await world.open({ handover: false });
      const { types } = recorded(locks);
      const hold = await locks.acquire('a');
      const waiting = locks.acquire('a');
      await until(() => types().includes('waiting'));
      await hold.release();
      await (await waiting).release();
      expect(types()).toEqual(['acquired', 'waiting', 'released', 'acquired', 'released']);
    });

    it('ends in other ways than by a release', async () => {
      const { locks } = await world.open();
      const { events } = recorded(locks);
      const lock = locks.getReadWriteLock('b');
      (await locks.acquire('a')).abandon();
      await (await (await lock.writeLock().acquire()).downgrade()).release();
      expect(events).toMatchObject([
        { type: 'acquired', lockName: expect.stringMatching(/a$/) },
        { type: 'released', how: 'abandoned' },
        { type: 'acquired', kind: 'write' },
        { type: 'released', kind: 'write', how: 'converted' },
        { type: 'acquired', kind: 'read', waited: 0 },
        { type: 'released', kind: 'read', how: 'released' },
      ]);
    });

    it('is told of permits, each for itself', async () => {
      const { locks } = await world.open();
      const semaphore = locks.getSemaphore('s');
      const seats = locks.getPermitExpirableSemaphore('t');
      await semaphore.trySetPermits(2);
      await seats.trySetPermits(2);
      const { events } = recorded(locks);
      await semaphore.acquire();
      await expect(semaphore.tryAcquire(2)).resolves.toBe(false);
      await semaphore.release();
      const permits = await seats.acquireMany(2, { lease: 60_000 });
      await seats.release(permits);
      await locks.withLock('l', { limit: 1 }, () => {});
      const ids = permits.map(({ id }) => id);
      expect(events).toMatchObject([
        { type: 'acquired', kind: 'semaphore', owner: undefined },
        { type: 'conflict', kind: 'semaphore' },
        { type: 'released', kind: 'semaphore', heldFor: undefined },
        { type: 'acquired', kind: 'permitExpirableSemaphore', owner: ids[0] },
        { type: 'acquired', kind: 'permitExpirableSemaphore', owner: ids[1] },
        { type: 'released', kind: 'permitExpirableSemaphore', owner: ids[0] },
        { type: 'released', kind: 'permitExpirableSemaphore', owner: ids[1] },
        { type: 'acquired', kind: 'limit' },
        { type: 'released', kind: 'limit' },
      ]);
    });

    it('is told only of the types that are asked for, until the listener is removed', async () => {
      const { locks } = await world.open();
      const released: string[] = [];
      const stop = locks.onEvent(['released'], ({ how }) => void released.push(how));
      const single = jest.fn();
      locks.onEvent('acquired', single);
      await locks.withLock('a', () => {});
      stop();
      await locks.withLock('a', () => {});
      expect(released).toEqual(['released']);
      expect(single).toHaveBeenCalledTimes(2);
    });

    it('is published on diagnostics channels, also without a listener of the service', async () => {
      const { locks } = await world.open();
      const seen: unknown[] = [];
      const listen = (message: unknown): void => void seen.push(message);
      RELEASED.subscribe(listen);
      const hold = await locks.acquire('published');
      await hold.release();
      RELEASED.unsubscribe(listen);
      expect(seen).toMatchObject([{ type: 'released', lockName: hold.name, owner: hold.owner }]);
    });

    it('is traced as a wait and a hold, from the context of the caller', async () => {
      const { locks } = await world.open();
      const steps: [string, WaitTrace | HoldTrace][] = [];
      const stepsOf = (name: string) => ({
        start: (message: object) => void steps.push([`${name} starts`, message as HoldTrace]),
        end: () => {},
        asyncStart: () => {},
        asyncEnd: (message: object) => void steps.push([`${name} ends`, message as HoldTrace]),
        error: () => void steps.push([`${name} fails`, {} as HoldTrace]),
      });
      const [wait, hold] = [stepsOf('wait'), stepsOf('hold')];
      WAIT.subscribe(wait);
      HOLD.subscribe(hold);
      await locks.withLock('traced', () => {});
      await locks.withLock('traced', async () => {
        await expect(locks.runInScope(() => locks.acquire('traced', { wait: 0 }))).rejects.toThrow(LockConflictError);
      });
      WAIT.unsubscribe(wait);
      HOLD.unsubscribe(hold);
      const whole = ['wait starts', 'wait ends', 'hold starts', 'hold ends'];
      const refused = ['wait starts', 'wait fails', 'wait ends'];
      expect(steps.map(([step]) => step)).toEqual([...whole, ...whole.slice(0, 3), ...refused, 'hold ends']);
      const [[, waited], , [, held], [, ended]] = steps as [
        [string, WaitTrace],
        unknown,
        [string, HoldTrace],
        [string, HoldTrace],
      ];
      expect(held.wait).toBe(waited);
      expect(ended).toBe(held);
      expect(held.owner).toBe(waited.owner);
    });

    it('goes on when a listener throws, which is an event', async () => {
      const client = await world.open();
      const { locks } = client;
      const thrown: unknown[] = [];
      const error = new Error('a broken exporter');
      locks.onEvent('unexpected', (event) => void thrown.push(event.error));
      locks.onEvent(['acquired', 'released'], () => {
        throw error;
      });
      const { locks: other } = await world.open();
      await expect(locks.withLock('a', () => 'done')).resolves.toBe('done');
      await expect(other.withLock('a', () => 'done')).resolves.toBe('done');
      expect(thrown).toEqual([error, error]);
      client.events.length = 0;
    });

    it('refuses a type that does not exist, and a listener that is no function', async () => {
      const { locks } = await world.open();
      const listen = locks.onEvent.bind(locks) as (...given: unknown[]) => unknown;
      expect(() => listen('acquire', () => {})).toThrow(LockOptionsError);
      expect(() => listen('acquire', () => {})).toThrow('types must be');
      expect(() => listen([], () => {})).toThrow('not array []');
      expect(() => listen('acquired')).toThrow('listener must be a function');
    });
  });
});
