import { Test, type TestingModule } from '@nestjs/testing';
import {
  type LockError,
  LockConflictError,
  LockLostError,
  LockNameError,
  LockOptionsError,
  LockTimeoutError,
} from 'nest-redis-lock';
import { constantBackoff } from 'nest-redis-lock/advanced';
import {
  LeakedLocksError,
  LockTesting,
  LockTestingModule,
  ManualClock,
  UnreadFencesError,
} from 'nest-redis-lock/testing';
import { caught } from '../kit/caught.js';
import { OrderService } from './orders.js';

let app: TestingModule;
let testing: LockTesting;
let orders: OrderService;

const start = async (options = {}, given?: LockTesting): Promise<void> => {
  const locks = LockTestingModule.forRoot(
    options && { connections: { default: 'memory', billing: 'memory' }, ...options },
    given,
  );
  app = await Test.createTestingModule({ imports: [locks], providers: [OrderService] }).compile();
  await app.init();
  testing = app.get(LockTesting);
  orders = app.get(OrderService);
};

beforeEach(() => start());

afterEach(() => app.close());

describe('holdElsewhere()', () => {
  it('keeps the application waiting until its wait is over', async () => {
    await testing.holdElsewhere('order:42');
    const paying = caught(orders.pay('42'), LockTimeoutError);
    await testing.advance('2999ms');
    expect(await testing.waiters()).toMatchObject([{ name: 'order:42', side: 'application', what: 'Lock' }]);
    await testing.advance(1);
    await paying;
    expect(orders.paid).toEqual([]);
  });

  it('passes the lock to the application when it is released', async () => {
    const hold = await testing.holdElsewhere('order:42');
    const paying = orders.pay('42');
    expect(await testing.waiters()).toHaveLength(1);
    await hold.release();
    await testing.advance(0);
    expect(await paying).toBe('paid 42');
  });

  it('is renewed, as by a live process', async () => {
    await testing.holdElsewhere('order:42');
    await testing.advance('10m');
    expect(await testing.holders()).toMatchObject([{ name: 'order:42', side: 'elsewhere', kind: 'exclusive' }]);
  });

  it('ends with its lease of 30 seconds, as after the death of a process', async () => {
    await testing.holdElsewhere('order:42', { lease: '30s' });
    await testing.advance('28s');
    const paying = orders.pay('42');
    await testing.advance('1999ms');
    expect(orders.paid).toEqual([]);
    await testing.advance('1s');
    expect(await paying).toBe('paid 42');
  });

  it('holds a lock of a named connection only there', async () => {
    await testing.holdElsewhere('invoice:7', { connection: 'billing' });
    const invoicing = caught(orders.invoice('7'), LockTimeoutError);
    await testing.advance('10s');
    await invoicing;
    expect(await orders.locks.tryAcquire('invoice:7')).not.toBeNull();
  });

  it('excludes the application that calls it while holding the lock', async () => {
    const refused = await orders.during('42', () => caught(testing.holdElsewhere('order:42'), LockConflictError));
    expect(refused).toMatchObject({ message: expect.stringContaining('held already by the application') });
  });
});

describe('loseLock()', () => {
  it('aborts the signal of the hold, and frees the lock', async () => {
    await orders.during('42', async (hold) => {
      await testing.loseLock('order:42');
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
      expect(() => hold.assertHeld()).toThrow(LockLostError);
      await testing.holdElsewhere('order:42');
    });
  });

  it('takes a lock from one of its readers only', async () => {
    const [one, other] = [
      await orders.locks.acquire('map', { mode: 'read' }),
      await testing.holdElsewhere('map', { mode: 'read' }),
    ];
    await testing.loseLock('map');
    expect(one.signal.aborted).toBe(true);
    expect(other.signal.aborted).toBe(false);
    expect(await testing.holders()).toMatchObject([{ name: 'map', side: 'elsewhere', kind: 'read' }]);
    await one.release();
  });

  it('takes a lock from all its readers, also from one that is sending a command', async () => {
    const [one, other] = [
      await orders.locks.acquire('map', { mode: 'read' }),
      await orders.locks.acquire('map', { mode: 'read' }),
    ];
    const extended: Promise<unknown>[] = [];
    one.signal.addEventListener('abort', () => extended.push(other.extend('1m').catch((error: unknown) => error)));
    await testing.loseLock('map');
    expect(extended).toHaveLength(1);
    expect(other.signal.aborted).toBe(true);
    await Promise.all(extended);
  });

  it('refuses a lock that the application does not hold, by its name', async () => {
    await testing.holdElsewhere('order:42');
    expect(await caught(testing.loseLock('order:42'), LockOptionsError)).toMatchObject({
      message: 'loseLock("order:42"): the application does not hold this lock',
    });
  });
});

describe('failNextRenewal()', () => {
  it('fails one renewal, which the watchdog repeats', async () => {
    const failures: number[] = [];
    orders.locks.onEvent((event) => event.type === 'renewal-failed' && failures.push(event.holds));
    await orders.during('42', async (hold) => {
      testing.failNextRenewal();
      await testing.advance('60s');
      expect(failures).toEqual([1]);
      expect(hold.signal.aborted).toBe(false);
    });
  });

  it('ends the hold if all renewals fail until the lease is over', async () => {
    await orders.during('42', async (hold) => {
      testing.failNextRenewal(Number.POSITIVE_INFINITY);
      await testing.advance('29s');
      expect(hold.signal.aborted).toBe(false);
      await testing.advance('1s');
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
    });
  });

  it('leaves the renewals of other processes alone', async () => {
    testing.failNextRenewal(Number.POSITIVE_INFINITY);
    const hold = await testing.holdElsewhere('order:42');
    await testing.advance('60s');
    expect(hold.signal.aborted).toBe(false);
  });
});

describe('holders()', () => {
  it('names the holds with the method that acquired them, without the prefix', async () => {
    await app.close();
    await start({ keyPrefix: 'shop:' });
    await orders.during('42', async () => {
      await testing.holdElsewhere('order:43');
      const found = (await testing.holders()).map(({ name, side, connection }) => ({ name, side, connection }));
      expect(found).toEqual([
        { name: 'order:43', side: 'elsewhere', connection: 'default' },
        { name: 'order:42', side: 'application', connection: 'default' },
      ]);
    });
    expect(await testing.holders()).toMatchObject([{ side: 'elsewhere' }]);
  });

  it('names permits with ids', async () => {
    const semaphore = orders.locks.getPermitExpirableSemaphore('printers');
    await semaphore.trySetPermits(2);
    const permit = await semaphore.acquire();
    expect(await testing.holders()).toMatchObject([{ name: 'printers', kind: 'permit', owner: permit.id }]);
    await permit.release();
    expect(await testing.holders()).toEqual([]);
  });
});

describe('waiters()', () => {
  it.each([
    ['a plain lock', {}],
    ['a fair lock', { fair: true }],
    ['a fenced lock', { fenced: true }],
    ['a reader', { mode: 'read' }],
    ['a writer', { mode: 'write' }],
  ] as const)('counts %s once', async (_, kind) => {
    const mode = 'mode' in kind ? ({ mode: 'write' } as const) : {};
    const hold = await testing.holdElsewhere('map', mode);
    const waiting = orders.locks.acquire('map', kind);
    expect(await testing.waiters()).toEqual([
      { name: 'map', side: 'application', connection: 'default', what: 'Lock' },
    ]);
    await hold.release();
    await testing.advance('5s');
    await (await waiting).release();
    expect(await testing.waiters()).toEqual([]);
  });

  it('counts a writer that goes first, and one that polls, once', async () => {
    const hold = await testing.holdElsewhere('map', { mode: 'write' });
    const spinning = await testing.holdElsewhere('spin');
    const writer = orders.locks.getReadWriteLock('map', { preference: 'writer' }).writeLock().acquire();
    const spinner = orders.locks.getSpinLock('spin', constantBackoff(100)).acquire();
    expect((await testing.waiters()).map(({ name }) => name).toSorted()).toEqual(['map', 'spin']);
    await Promise.all([hold.release(), spinning.release()]);
    await testing.advance('5s');
    await Promise.all([writer, spinner].map(async (acquired) => (await acquired).release()));
  });
});

describe('expectNoLeakedLocks()', () => {
  it('passes if only other processes hold locks', async () => {
    await orders.pay('42');
    await testing.holdElsewhere('order:42');
    await expect(testing.expectNoLeakedLocks()).resolves.toBeUndefined();
  });

  it('names what the application holds and waits for', async () => {
    await testing.holdElsewhere('order:43');
    const leaked = await orders.locks.acquire('order:42');
    const waiting = caught(orders.pay('43'), LockTimeoutError);
    const error = await caught(testing.expectNoLeakedLocks(), LeakedLocksError);
    expect(error).toMatchObject({
      message: expect.stringContaining('still holds "order:42" (exclusive); waits for "order:43"'),
      holders: [{ name: 'order:42' }],
      waiters: [{ name: 'order:43' }],
    });
    await leaked.release();
    await testing.advance('3s');
    await waiting;
  });

  it('does not keep an application that holds a lock from closing', async () => {
    await orders.locks.acquire('order:42');
    await app.close();
    await expect(testing.expectNoLeakedLocks()).rejects.toThrow(LeakedLocksError);
  });
});

describe('expectFencesRead()', () => {
  const fenced = { fenced: true } as const;

  it('passes once code has asked each fenced hold for its token, before its end or after it', async () => {
    await orders.locks.withLock('order:42', fenced, (hold) => hold.fence);
    const hold = await orders.locks.acquire('order:43', fenced);
    await hold.release();
    expect(() => testing.expectFencesRead()).toThrow(UnreadFencesError);
    expect(hold.fence).toBeDefined();
    await orders.pay('44');
    expect(() => testing.expectFencesRead()).not.toThrow();
  });

  it('names the locks whose tokens no code has used', async () => {
    await orders.locks.withLock('order:42', fenced, () => orders.locks.withLock('order:42', fenced, () => {}));
    await testing.holdElsewhere('order:43', fenced);
    const error = await caught((async () => testing.expectFencesRead())(), UnreadFencesError);
    expect(error).toMatchObject({
      message:
        'The application acquired "order:42" (exclusive), and no code asked for hold.fence. Only what is written with the token is protected from a stale holder: pass it on, or acquire the lock without fenced',
      holders: [{ name: 'order:42', side: 'application' }],
    });
  });

  it('counts the token of an inner hold for the outer one, whose token it is', async () => {
    await orders.locks.withLock('order:42', fenced, () =>
      orders.locks.withLock('order:42', fenced, (inner) => inner.fence),
    );
    expect(() => testing.expectFencesRead()).not.toThrow();
  });
});

describe('lockedCalls()', () => {
  it('names each method with what it asked for', async () => {
    await orders.pay('42');
    await orders.payAll(['1', '2']);
    await orders.invoice('7');
    expect(testing.lockedCalls()).toEqual([
      { decorator: '@Locked', method: 'OrderService.pay', names: ['order:42'], connection: undefined },
      { decorator: '@Locked', method: 'OrderService.payAll', names: ['order:1', 'order:2'], connection: undefined },
      { decorator: '@Locked', method: 'OrderService.invoice', names: ['invoice:7'], connection: 'billing' },
    ]);
  });
});

describe('Bad input', () => {
  it.each([
    ['a duration', () => testing.advance('ten seconds' as never), LockOptionsError, '"ten seconds"'],
    ['a negative duration', () => testing.advance(-1), LockOptionsError, '-1'],
    ['a number of renewals', async () => testing.failNextRenewal(0.5), LockOptionsError, '0.5'],
    ['a name to hold', () => testing.holdElsewhere(''), LockNameError, '""'],
    ['a name to lose', () => testing.loseLock(42 as never), LockNameError, '42'],
    ['an option', () => testing.holdElsewhere('a', { leese: 1 } as never), LockOptionsError, '"leese"'],
    ['a connection', () => testing.loseLock('a', 'bills'), LockOptionsError, '"bills"'],
    ['options', async () => start(null as never), LockOptionsError, 'null'],
    ['connections', async () => start({ connections: null }), LockOptionsError, 'connections must be an object'],
    ['a clock', async () => new LockTesting({ clock: 'sun' as never }), LockOptionsError, '"sun"'],
  ] as const)('is refused with the value: %s', async (_, call, type, value) => {
    const error = await caught<LockError>((async () => call())(), type);
    expect(error).toMatchObject({ message: expect.stringContaining(value) });
  });

  it('is refused before an application uses the locks', async () => {
    const unused = new LockTesting({ clock: new ManualClock() });
    expect(await caught(unused.holdElsewhere('order:42'), LockOptionsError)).toMatchObject({
      message: expect.stringContaining('holdElsewhere() needs an application'),
    });
  });
});
