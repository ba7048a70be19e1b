import type { TestingModule } from '@nestjs/testing';
import { type Lock, LockLostError, LockOwnershipError, LockService } from 'nest-redis-lock';
import { runtimeOf } from './applications.js';
import { caught } from '../kit/caught.js';
import { Gate } from '../kit/gate.js';
import { ConcurrencyProbe } from '../kit/concurrency-probe.js';
import { applicationBackends } from './application-backends.js';

describe.each(applicationBackends)('A scope %s', (_, openBackend) => {
  const backend = openBackend();
  let app: TestingModule;
  let locks: LockService;
  let lock: Lock;
  let probe: ConcurrencyProbe;

  const grants = (): number => runtimeOf(app).grants.size;

  beforeAll(() => backend.open());

  beforeEach(async () => {
    app = await backend.application();
    locks = app.get(LockService);
    lock = locks.getLock('a');
    probe = new ConcurrencyProbe();
  });

  afterEach(() => app.close());

  afterAll(() => backend.close());

  it('is one owner for what is acquired in it, and releases what it acquired last', async () => {
    await locks.runInScope(async () => {
      const first = await lock.acquire();
      const second = await lock.tryAcquire();
      expect([second?.owner, await lock.holdCount(), grants()]).toEqual([first.owner, 2, 1]);
      await expect(lock.isHeldByCurrentScope()).resolves.toBe(true);
      expect(locks.currentHold('a')).toBe(second);
      await lock.release();
      expect([second?.isHeld, first.isHeld, await lock.holdCount()]).toEqual([false, true, 1]);
      await lock.release();
      expect([first.isHeld, await lock.holdCount(), await lock.isLocked()]).toEqual([false, 0, false]);
      await caught(lock.release(), LockOwnershipError);
    });
    expect(grants()).toBe(0);
  });

  it('is one owner for what is acquired in it at the same time', async () => {
    await locks.runInScope(async () => {
      const holds = await Promise.all([lock.acquire(), lock.acquire(), lock.acquire()]);
      expect([new Set(holds.map(({ owner }) => owner)).size, await lock.holdCount()]).toEqual([1, 3]);
      await Promise.all(holds.map((hold) => hold.release()));
      await expect(lock.isLocked()).resolves.toBe(false);
    });
  });

  it('runs callbacks under one lock one at a time, in the order they came', async () => {
    await locks.runInScope(async () => {
      await Promise.all([1, 2, 3].map((visitor) => lock.withLock(() => probe.enter(visitor))));
    });
    expect({ peak: probe.peak, visitors: probe.entered }).toEqual({ peak: 1, visitors: [1, 2, 3] });
    expect(grants()).toBe(0);
  });

  it('re-enters with a callback what it acquired, and keeps it', async () => {
    await locks.runInScope(async () => {
      const hold = await lock.acquire();
      await lock.withLock(async (inner) => expect([inner.owner, await lock.holdCount()]).toEqual([hold.owner, 2]));
      await expect(lock.holdCount()).resolves.toBe(1);
      await lock.release();
    });
  });

  it('excludes another scope, and code outside', async () => {
    const busy = new Gate();
    const one = locks.runInScope(async () => {
      await lock.acquire();
      await busy.pass();
      await lock.release();
    });
    await busy.reached;
    await expect(locks.runInScope(() => lock.tryAcquire())).resolves.toBeNull();
    await expect(lock.tryAcquire()).resolves.toBeNull();
    expect([await lock.holdCount(), await lock.isHeldByCurrentScope()]).toEqual([0, false]);
    await caught(lock.release(), LockOwnershipError);
    busy.open();
    await one;
  });

  it('inside a holder is another owner', async () => {
    await lock.withLock(async () => {
      const inside = await locks.runInScope(async () => [
        locks.currentHold()?.name,
        await lock.holdCount(),
        await lock.tryAcquire(),
      ]);
      expect(inside).toEqual([undefined, 0, null]);
    });
  });

  it('inside a scope is another owner', async () => {
    await locks.runInScope(async () => {
      const hold = await lock.acquire();
      await expect(locks.runInScope(() => lock.tryAcquire())).resolves.toBeNull();
      await hold.release();
    });
  });

  it('that ends does not touch its unreleased locks', async () => {
    const hold = await locks.runInScope(() => lock.acquire());
    await expect(lock.isLocked()).resolves.toBe(true);
    await caught(lock.release(), LockOwnershipError);
    await expect(hold.release()).resolves.toBe('released');
  });

  it('owns nothing for work that continues after its end', async () => {
    const rest = new Gate();
    const { detached, hold } = await locks.runInScope(async () => {
      const acquired = await lock.acquire();
      const goOn = rest.pass().then(async () => [await lock.holdCount(), await lock.tryAcquire()]);
      return { detached: goOn, hold: acquired };
    });
    rest.open();
    await expect(detached).resolves.toEqual([0, null]);
    await hold.release();
  });
});

describe.each(applicationBackends)('A hold %s', (_, openBackend) => {
  const backend = openBackend();
  let app: TestingModule;
  let locks: LockService;
  let lock: Lock;

  beforeAll(() => backend.open());

  beforeEach(async () => {
    app = await backend.application();
    locks = app.get(LockService);
    lock = locks.getLock('a');
  });

  afterEach(() => app.close());

  afterAll(() => backend.close());

  it('is entered by run() only', async () => {
    const hold = await lock.acquire();
    expect(locks.currentHold()).toBeUndefined();
    await expect(lock.tryAcquire()).resolves.toBeNull();
    const inside = await hold.run(async () => {
      const nested = await lock.acquire();
      return [nested.owner, locks.currentHold()?.owner, await lock.holdCount(), await nested.release()];
    });
    expect(inside).toEqual([hold.owner, hold.owner, 2, 'still-held']);
    expect(hold.run(() => locks.currentHold()?.owner)).toBe(hold.owner);
    expect(locks.currentHold()).toBeUndefined();
    await hold.release();
    expect(() => hold.run(() => 'inside')).toThrow(LockLostError);
  });

  it('is not left by an error in run()', async () => {
    const hold = await lock.acquire();
    const failure = new Error('out of stock');
    expect(() =>
      hold.run(() => {
        throw failure;
      }),
    ).toThrow(failure);
    await expect(hold.run(() => Promise.reject(failure))).rejects.toBe(failure);
    hold.assertHeld();
    await hold.release();
  });

  it('of a callback is released with the callback, and not by lock.release()', async () => {
    await lock.withLock(async (hold) => {
      await caught(lock.release(), LockOwnershipError);
      const nested = await lock.acquire();
      await lock.release();
      expect([nested.isHeld, hold.isHeld, await lock.holdCount()]).toEqual([false, true, 1]);
    });
    await expect(lock.isLocked()).resolves.toBe(false);
  });
});
