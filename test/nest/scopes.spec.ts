import type { TestingModule } from '@nestjs/testing';
import { type Lock, LockLostError, LockOwnershipError, LockService } from 'nest-redis-lock';
import { runtimeOf } from './applications.js';
import { caught } from '../kit/caught.js';
import { Pause } from '../kit/gate.js';
import { Room } from '../kit/concurrency-probe.js';
import { worlds } from './application-backends.js';

describe.each(worlds)('A scope %s', (_, makeWorld) => {
  const world = makeWorld();
  let app: TestingModule;
  let locks: LockService;
  let lock: Lock;
  let room: Room;

  const grants = (): number => runtimeOf(app).grants.size;

  beforeAll(() => world.open());

  beforeEach(async () => {
    app = await world.application();
    locks = app.get(LockService);
    lock = locks.getLock('a');
    room = new Room();
  });

  afterEach(() => app.close());

  afterAll(() => world.close());

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
      await Promise.all([1, 2, 3].map((visitor) => lock.withLock(() => room.visit(visitor))));
    });
    expect({ peak: room.peak, visitors: room.visitors }).toEqual({ peak: 1, visitors: [1, 2, 3] });
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
    const busy = new Pause();
    const one = locks.runInScope(async () => {
      await lock.acquire();
      await busy.here();
      await lock.release();
    });
    await busy.reached;
    await expect(locks.runInScope(() => lock.tryAcquire())).resolves.toBeNull();
    await expect(lock.tryAcquire()).resolves.toBeNull();
    expect([await lock.holdCount(), await lock.isHeldByCurrentScope()]).toEqual([0, false]);
    await caught(lock.release(), LockOwnershipError);
    busy.end();
    await one;
  });

  it('inside a holder is not the holder', async () => {
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

  it('that ends leaves alone what it did not release', async () => {
    const hold = await locks.runInScope(() => lock.acquire());
    await expect(lock.isLocked()).resolves.toBe(true);
    await caught(lock.release(), LockOwnershipError);
    await expect(hold.release()).resolves.toBe('released');
  });

  it('gives nothing to work that goes on after its end', async () => {
    const rest = new Pause();
    const { detached, hold } = await locks.runInScope(async () => {
      const acquired = await lock.acquire();
      const goOn = rest.here().then(async () => [await lock.holdCount(), await lock.tryAcquire()]);
      return { detached: goOn, hold: acquired };
    });
    rest.end();
    await expect(detached).resolves.toEqual([0, null]);
    await hold.release();
  });
});

describe.each(worlds)('A hold %s', (_, makeWorld) => {
  const world = makeWorld();
  let app: TestingModule;
  let locks: LockService;
  let lock: Lock;

  beforeAll(() => world.open());

  beforeEach(async () => {
    app = await world.application();
    locks = app.get(LockService);
    lock = locks.getLock('a');
  });

  afterEach(() => app.close());

  afterAll(() => world.close());

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

  it('is released at the end of a block by `await using`', async () => {
    {
      await using hold = await lock.acquire();
      hold.assertHeld();
      await expect(lock.isLocked()).resolves.toBe(true);
    }
    await expect(lock.isLocked()).resolves.toBe(false);
  });
});
