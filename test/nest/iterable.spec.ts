import type { TestingModule } from '@nestjs/testing';
import { LockLostError, LockService } from 'nest-redis-lock';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { runtimeOf, start } from './applications.js';
import { caught } from '../kit/caught.js';
import { Items, piecesOf } from './items.js';
import { until } from '../kit/until.js';

const WATCHDOG_TIMEOUT = 30_000;

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const seen: T[] = [];
  for await (const item of items) seen.push(item);
  return seen;
};

describe('The result of a @Locked method that continues after its return', () => {
  let clock: ManualClock;
  let app: TestingModule;
  let items: Items;
  let locks: LockService;

  const isLocked = (): Promise<boolean> => locks.getLock('items:1').isLocked();
  const isFree = async (): Promise<boolean> => !(await isLocked());

  beforeEach(async () => {
    clock = new ManualClock();
    app = await start({ providers: [Items] }, { connection: 'memory', renewedLease: WATCHDOG_TIMEOUT }, clock);
    items = app.get(Items);
    locks = app.get(LockService);
  });

  afterEach(async () => {
    await app.close();
    expect(clock.pending).toBe(0);
  });

  describe('an async generator', () => {
    it('takes the lock with its first step, and holds it to its end', async () => {
      const list = items.list('1', 2);
      await expect(isLocked()).resolves.toBe(false);
      await expect(list.next()).resolves.toEqual({ done: false, value: 0 });
      await expect(isLocked()).resolves.toBe(true);
      await clock.advance(10 * WATCHDOG_TIMEOUT);
      await expect(list.next('one')).resolves.toEqual({ done: false, value: 1 });
      await expect(isLocked()).resolves.toBe(true);
      await expect(list.next('two')).resolves.toEqual({ done: true, value: 'all' });
      await expect(isLocked()).resolves.toBe(false);
      expect(items.log).toEqual(['begun', 'one', 'two', 'put in order']);
    });

    it('runs as the owner at every step, and its consumer does not', async () => {
      const seen: unknown[] = [];
      for await (const name of items.holds('1')) seen.push(name, locks.currentHold()?.name);
      expect(seen).toEqual(['items:1', undefined, 'items:1', undefined]);
    });

    it('releases when its consumer leaves, after the method has put things in order', async () => {
      for await (const item of items.list('1')) if (item === 1) break;
      expect(items.log).toEqual(['begun', undefined, 'put in order']);
      await expect(isLocked()).resolves.toBe(false);
    });

    it('releases when it fails, by itself or by what its consumer throws into it', async () => {
      const failure = new Error('out of stock');
      const list = items.list('1');
      await list.next();
      await expect(list.throw(failure)).rejects.toBe(failure);
      expect(items.log).toEqual(['begun', failure, 'put in order']);
      await expect(isLocked()).resolves.toBe(false);
    });

    it('excludes others, and takes its turn after them', async () => {
      const [one, two] = [items.list('1', 1), items.list('1', 1)];
      await one.next();
      const waiting = two.next();
      await until(() => runtimeOf(app).acquirer.contended === 1);
      expect(items.log).toEqual(['begun']);
      await one.next();
      await expect(waiting).resolves.toEqual({ done: false, value: 0 });
      await all(two);
    });

    it('stops waiting when its consumer has left', async () => {
      const hold = await locks.acquire('items:1');
      const list = items.list('1');
      const step = list.next();
      await until(() => runtimeOf(app).acquirer.contended === 1);
      const left = list.return('enough');
      await expect(step).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
      await expect(left).resolves.toEqual({ done: true, value: 'enough' });
      await hold.release();
      expect(items.log).toEqual([]);
    });

    it('is empty, or another result, if another owner has the lock and the method is skipped', async () => {
      const hold = await locks.acquire('items:1');
      await expect(all(items.skips('1'))).resolves.toEqual([]);
      await expect(all(items.replays('1', 9))).resolves.toEqual([7, 9]);
      await hold.release();
      await expect(all(items.skips('1'))).resolves.toEqual([1]);
    });

    it('gets the loss of the lock as an error, and then its consumer does', async () => {
      const list = items.list('1');
      await list.next();
      await locks.getLock('items:1').forceRelease();
      const error = await caught(list.next(), LockLostError);
      expect(items.log).toEqual(['begun', error, 'put in order']);
      await expect(list.next()).resolves.toEqual({ done: true, value: undefined });
    });

    it('leaves nothing behind if it is never begun', async () => {
      items.list('1');
      await expect(items.list('1').return('nothing')).resolves.toEqual({ done: true, value: 'nothing' });
      await expect(isLocked()).resolves.toBe(false);
    });
  });

  describe('an iterable by option', () => {
    it('takes the lock for each iteration', async () => {
      await expect(all(items.byOption('1'))).resolves.toEqual([1, 2]);
      const again = items.byOption('1');
      expect(items.log).toEqual(['begun']);
      await expect(all(again)).resolves.toEqual([1, 2]);
      await expect(isLocked()).resolves.toBe(false);
    });

    it('fails if the method returns none', async () => {
      const error = await caught(all(items.none('1')), TypeError);
      expect(error.message).toContain('Items.none is @Locked with returns: "iterable"');
      await expect(isLocked()).resolves.toBe(false);
    });
  });

  describe('a promised iterable', () => {
    it('is locked until its iteration ends', async () => {
      const promised = await items.promised('1');
      await clock.advance(WATCHDOG_TIMEOUT / 2);
      await expect(isLocked()).resolves.toBe(true);
      await expect(all(promised)).resolves.toEqual([1, 2]);
      await expect(isLocked()).resolves.toBe(false);
    });

    it('is given up without an iteration', async () => {
      const promised = await items.promised('1');
      await clock.advance(WATCHDOG_TIMEOUT);
      await expect(isLocked()).resolves.toBe(false);
      const error = await caught(all(promised), LockLostError);
      expect(error.message).toContain('returns: "iterable"');
    });
  });

  describe.each(['stream', 'file', 'webStream', 'response'] as const)('a %s', (kind) => {
    const streamOf = async (): Promise<AsyncIterable<string | Uint8Array>> => {
      const result = await items[kind]('1');
      if ('getStream' in result) return result.getStream();
      return 'body' in result ? bodyOf(result) : result;
    };

    it('is locked until it was read', async () => {
      const stream = await streamOf();
      await expect(isLocked()).resolves.toBe(true);
      const pieces = await all(stream);
      expect(pieces.map((piece) => Buffer.from(piece).toString())).toEqual(['one ', 'two']);
      await until(isFree);
    });

    it('is locked while it is read, however long that takes, and no longer', async () => {
      const reading = (await streamOf())[Symbol.asyncIterator]();
      await reading.next();
      await clock.advance(10 * WATCHDOG_TIMEOUT);
      await expect(isLocked()).resolves.toBe(true);
      await reading.return?.();
      await until(isFree);
    });

    it('is given up without a reader', async () => {
      await streamOf();
      await clock.advance(WATCHDOG_TIMEOUT);
      await expect(isLocked()).resolves.toBe(false);
    });
  });

  describe('a response', () => {
    it('is the object that the method returned, and can be read in any way', async () => {
      const response = await items.response('1');
      expect([response.status, response.headers.get('X-Of')]).toEqual([200, 'items']);
      const copy = response.clone();
      await expect(isLocked()).resolves.toBe(true);
      await expect(copy.text()).resolves.toBe('one two');
      await until(isFree);
      await expect(response.text()).resolves.toBe('one two');
    });

    it('is locked until its body has failed', async () => {
      const failure = new Error('out of stock');
      const response = await items.response('1', piecesOf('one ', failure));
      await expect(isLocked()).resolves.toBe(true);
      await expect(response.text()).rejects.toBe(failure);
      await until(isFree);
    });

    it('without a body is no longer locked', async () => {
      await items.response('1', null);
      await expect(isLocked()).resolves.toBe(false);
    });
  });
});

const bodyOf = ({ body }: Response): AsyncIterable<Uint8Array> => {
  if (!body) throw new Error('The response has no body');
  return body;
};
