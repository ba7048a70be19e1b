import {
  LockConflictError,
  LockLostError,
  LockOptionsError,
  LockTimeoutError,
  LockUnavailableError,
  type AcquireOptions,
  type Duration,
  type Lock,
  type MultiHold,
} from '../../lib/standalone.js';
import { caught, thrownBy } from '../kit/caught.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import type { Client, ClientOptions } from '../kit/client.js';
import { RedisWorld } from '../kit/redis-world.js';
import { track } from '../kit/time.js';

/** Rows RD of the behaviour catalogue about a RedLock of locks on two servers. */
describe('A majority lock on two servers', () => {
  const worlds = [new RedisWorld(), new RedisWorld()] as const;
  const [one, two] = worlds;
  const { time } = one;

  beforeAll(() => Promise.all(worlds.map((world) => world.start())));
  afterEach(() => Promise.all(worlds.map((world) => world.reset())));
  afterAll(() => Promise.all(worlds.map((world) => world.stop())));

  const open = (options?: ClientOptions): Promise<readonly [Client, Client]> =>
    Promise.all([one.open(options), two.open(options)]);

  /** Members on the two servers in turn. */
  const members = ([first, second]: readonly [Client, Client], count: number): Lock[] =>
    Array.from({ length: count }, (_, index) => (index % 2 ? second : first).locks.getLock(`n${index + 1}`));

  /** A majority is enough, so a member that answers late may be missing: such a hold is released, and another acquired. */
  const acquireAll = async (lock: Lock<MultiHold>, options: AcquireOptions = {}): Promise<MultiHold> => {
    for (;;) {
      const hold = await lock.acquire(options);
      if (hold.members.length === 3) return hold;
      await hold.release();
    }
  };

  const names = async (): Promise<string[]> =>
    (await Promise.all(worlds.map(({ probe }) => probe.names()))).flat().toSorted();

  it.each<Duration>([2000, '2s', '1m'])('RD-01 counts to 50 with seven members and a lease of %p', async (lease) => {
    const clients = await open();
    const [{ locks }] = clients;
    let counter = 0;
    const work = async (): Promise<void> => {
      for (let round = 0; round < 5; round += 1) {
        await locks.getMajorityLock(...members(clients, 7)).withLock({ lease, wait: '30s' }, async () => {
          const seen = counter;
          await time.pass(5);
          counter = seen + 1;
        });
      }
    };
    await time.finish(Promise.all(Array.from({ length: 10 }, work)), 30_000);
    expect(counter).toBe(50);
    await time.until(async () => (await names()).length === 0, 1000);
  });

  it('RD-02 is not available while others have two of three members', async () => {
    const [clients, others] = [await open(), await open()];
    for (const lock of members(others, 2)) await lock.acquire();
    const lock = clients[0].locks.getMajorityLock(...members(clients, 3));
    const stop = new AbortController();
    const waiting = lock.acquire({ wait: Infinity, signal: stop.signal });
    const progress = track(waiting);
    await expect(lock.tryAcquire()).resolves.toBeNull();
    await time.pass(500);
    expect(progress.settled).toBe(false);
    const error = await caught(lock.acquire({ wait: 200 }), LockTimeoutError);
    expect(error.details).toMatchObject({ needed: 2, members: [{ lock: 'n1' }, { lock: 'n2' }, { lock: 'n3' }] });
    await expect(lock.acquire({ wait: 0 })).rejects.toThrow(LockConflictError);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED', cause: { message: 'enough' } });
    await time.until(async () => (await names()).join() === 'n1,n2', 1000);
  });

  it('RD-02 is acquired as soon as one of them is released', async () => {
    const [clients, others] = [await open(), await open()];
    const held = await Promise.all(members(others, 2).map((lock) => lock.acquire()));
    const waiting = clients[0].locks.getMajorityLock(...members(clients, 3)).acquire({ wait: '20s' });
    await time.pass(100);
    await held[0]?.release();
    await expect(time.finish(waiting, 500 + time.slack)).resolves.toMatchObject({ isHeld: true });
  });

  it('RD-03 is acquired although another owner has one of three members', async () => {
    const [clients, others] = [await open(), await open()];
    for (const lock of members(others, 1)) await lock.acquire();
    const hold = await clients[0].locks.getMajorityLock(...members(clients, 3)).tryAcquire({ wait: 500, lease: '5s' });
    await time.pass(300);
    expect(() => hold?.assertHeld()).not.toThrow();
    await expect(hold?.release()).resolves.toBe('released');
    await expect(names()).resolves.toEqual(['n1']);
  });

  it('RD-04 is acquired and released by one owner after the other although the server of one member is down', async () => {
    const clients = await open();
    await using third = await RedisServer.start();
    const down = await two.open({}, third.url);
    await third.kill9();
    const lock = clients[0].locks.getMajorityLock(...members(clients, 2), down.locks.getLock('n3'));
    const hold = await lock.acquire();
    const next = lock.acquire();
    await time.pass(300);
    await expect(hold.release()).resolves.toBe('released');
    await (await time.finish(next, 3000)).release();
    await expect(lock.isLocked()).resolves.toBe(false);
  });

  it('RD-22 is unavailable when the servers of two of three members are down', async () => {
    const clients = await open();
    await using third = await RedisServer.start();
    const down = await two.open({}, third.url);
    await third.kill9();
    const lock = clients[0].locks.getMajorityLock(
      ...members(clients, 1),
      ...['a', 'b'].map((n) => down.locks.getLock(n)),
    );
    await expect(lock.acquire({ wait: 200 })).rejects.toThrow(LockUnavailableError);
    await time.until(async () => (await names()).length === 0, 1000);
  });

  it('is lost when fewer than a majority of its members are held, and not before', async () => {
    const clients = await open({ renewedLease: 3000 });
    const hold = await acquireAll(clients[0].locks.getMajorityLock(...members(clients, 3)));
    const { signal } = hold;
    await one.probe.remove('n1');
    await time.until(() => hold.members[0]?.signal.aborted === true, 1000 + time.slack);
    expect(signal.aborted).toBe(false);
    await hold.extend('4s');
    expect(hold.run(() => 'done')).toBe('done');
    await two.probe.remove('n2');
    await time.until(() => signal.aborted, 2000 + time.slack);
    expect(signal.reason).toBeInstanceOf(LockLostError);
    expect(() => hold.assertHeld()).toThrow(LockLostError);
    await expect(hold.extend('4s')).rejects.toThrow(LockLostError);
    await expect(hold.release()).resolves.toBe('expired');
    await expect(names()).resolves.toEqual([]);
  });

  it('is not reported as lost if a majority is held and too few members can be extended', async () => {
    const [clients, { locks }] = [await open(), await one.open()];
    await using third = await RedisServer.start();
    const far = await two.open({}, third.url);
    const hold = await acquireAll(locks.getMajorityLock(...members(clients, 2), far.locks.getLock('n3')), {
      lease: '10s',
    });
    await one.probe.remove('n1');
    await expect(hold.extend('20s')).resolves.toBeUndefined();
    await third.kill9();
    const error = await caught(hold.extend('30s'), LockUnavailableError);
    expect(error.lockName).toBe('n3');
    expect(() => hold.assertHeld()).not.toThrow();
  });

  it('is refused with fewer than three members, with one twice, and with a value that is not a lock', async () => {
    const clients = await open();
    const { locks } = clients[0];
    const [first, second] = members(clients, 2);
    const refused = (...given: unknown[]): string =>
      thrownBy(() => locks.getMajorityLock(...(given as Lock[])), LockOptionsError).message;
    expect(refused(first, second)).toContain('at least 3 locks, not 2');
    expect(refused(first, second, locks.getLock('n1'))).toContain('"n1" is in the majority lock twice');
    expect(refused(first, second, 'n3')).toContain('not of "n3"');
  });
});
