import { ok } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { LockLostError, messageOf } from '../errors.js';
import type { Lock } from '../locks/lock.js';
import type { Locks } from '../module/create-locks.js';
import { ignore, StoreTrial, type StoreUnderTest, WAIT_MS } from './store-trial.js';

/** One thing that every store of locks does. */
export interface StoreCase {
  readonly name: string;
  /** @throws Error that says what was expected and what was found. */
  run(): Promise<void>;
}

const JOB = 'job';
/** By when a caller is told, ms. The end of a wait would be too late: a waiter looks then, without a message. */
const SOON_MS = 3000;
/** A lease that ends while a case waits, ms: a quarter of it is the longest time for the reply that grants it. */
const LEASE_MS = 2000;
/** A lease that is renewed every second, ms. */
const RENEWED_MS = 3000;
/** Code that has its signal for a shorter time is told at the next renewal only, ms. */
const LISTENS_AFTER_MS = 300;
/** Longest name, with its prefix, in bytes. */
const LONGEST_NAME = 512;

/** Begins what is awaited later: if the case fails before, it fails for that reason. */
const begin = <T>(work: Promise<T>): Promise<T> => {
  work.catch(ignore);
  return work;
};

/** Resolves with what the work does if it is done soon, or else with `undefined`. */
const soon = <T>(work: Promise<T>): Promise<T | undefined> =>
  Promise.race([work, sleep(SOON_MS, undefined, { ref: false })]);

/** Lets two clients run six pieces of work under the lock, and resolves with how many ran at once. */
const busiest = async (clients: readonly Locks[]): Promise<number> => {
  let [running, most] = [0, 0];
  const work = async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await sleep(20);
    running -= 1;
  };
  await Promise.all(clients.flatMap((locks) => [1, 2, 3].map(() => locks.withLock(JOB, work))));
  return most;
};

type Check = (trial: StoreTrial) => Promise<void>;

const start: Check = async (trial) => {
  const locks = await trial.open({ probe: 'refuse' });
  await locks.withLock(JOB, ignore);
};

const exclusion: Check = async (trial) => {
  const [one, two] = await trial.two();
  const hold = await one.acquire(JOB);
  ok((await two.tryAcquire(JOB)) === null, 'another client got it as well');
  ok((await hold.release()) === 'released', 'it was lost');
  const most = await busiest([one, two]);
  ok(most === 1, `${most} held it at once`);
};

const wakeUp: Check = async (trial) => {
  const [one, two] = await trial.two();
  const hold = await one.acquire(JOB);
  const waiting = begin(two.acquire(JOB, { wait: '1m' }));
  await trial.waiting(one.getLock(JOB), 1);
  await hold.release();
  const next = await soon(waiting);
  ok(next, `it was not told within ${SOON_MS} ms`);
  await next.release();
};

const lease: Check = async (trial) => {
  const [one, two] = await trial.two();
  const begun = performance.now();
  const hold = await one.acquire(JOB, { lease: LEASE_MS });
  const next = await two.tryAcquire(JOB, { wait: WAIT_MS });
  const lasted = Math.round(performance.now() - begun);
  ok(next, `${lasted} ms were not enough for one of ${LEASE_MS} ms`);
  // The clocks of two machines differ a little.
  ok(lasted > 0.95 * LEASE_MS, `${lasted} ms were enough for one of ${LEASE_MS} ms`);
  ok((await hold.release()) === 'expired', 'its owner still held it');
  await next.release();
};

const renewal: Check = async (trial) => {
  const locks = await trial.open();
  const lock = locks.getLock(JOB);
  const hold = await lock.acquire({ lease: RENEWED_MS, renew: true });
  let least = Number.POSITIVE_INFINITY;
  await trial.until('a renewal', async () => {
    const left = await lock.remainingLease();
    const isRenewed = left > least;
    least = Math.min(least, left);
    return isRenewed;
  });
  ok((await hold.release()) === 'released', 'it was lost');
};

const reentry: Check = async (trial) => {
  const [one, two] = await trial.two();
  await one.withLock(JOB, async () => {
    const inner = await one.acquire(JOB);
    const { holders } = await two.getLock(JOB).inspect();
    ok(holders[0]?.count === 2, `there were ${holders[0]?.count} in place of 2`);
    ok((await inner.release()) === 'still-held', 'the inner release ended it');
    ok((await two.tryAcquire(JOB)) === null, 'another client got it as well');
  });
  const next = await two.tryAcquire(JOB);
  ok(next, 'the outer release did not end it');
  await next.release();
};

const order: Check = async (trial) => {
  const others = await trial.both((locks) => locks.getFairLock(JOB));
  const lock = (await trial.open()).getFairLock(JOB);
  const hold = await lock.acquire();
  const served: number[] = [];
  const waiting: Promise<unknown>[] = [];
  for (const [n, each] of [...others, lock].entries()) {
    waiting.push(begin(each.withLock(() => served.push(n))));
    await trial.waiting(lock, n + 1);
  }
  await hold.release();
  await Promise.all(waiting);
  ok(served.join('') === '012', `their order was ${served.join(', ')}`);
};

const readWrite: Check = async (trial) => {
  const [here, there] = await trial.both((locks) => locks.getReadWriteLock(JOB));
  const reads = [await here.readLock().acquire(), await there.readLock().tryAcquire()];
  ok(reads[1], 'two clients may not read');
  ok((await there.writeLock().tryAcquire()) === null, 'one may write while two read');
  for (const read of reads) await read?.release();
  const write = await here.writeLock().tryAcquire();
  ok(write, 'none may write');
  ok((await there.readLock().tryAcquire()) === null, 'one may read while one writes');
  ok((await there.writeLock().tryAcquire()) === null, 'two may write');
  await write.release();
};

const fencing: Check = async (trial) => {
  const [one, two] = await trial.two();
  const token = (locks: Locks): Promise<bigint> => locks.getFencedLock(JOB).withLock(({ fence }) => fence);
  const [first, second] = [await token(one), await token(two)];
  await trial.deleteKeys();
  const third = await token(one);
  ok(first < second && second < third, `they were ${first}, ${second}, ${third}`);
};

const limit: Check = async (trial) => {
  const [one, two] = await trial.two();
  const options = { limit: 2 };
  const holds = [await one.acquire(JOB, options), await two.acquire(JOB, options)];
  ok((await one.tryAcquire(JOB, options)) === null, 'there was a third of 2');
  for (const hold of holds) ok((await hold.release()) === 'released', 'it was lost');
  const next = await one.tryAcquire(JOB, options);
  ok(next, 'none of 2 came back');
  await next.release();
};

const semaphore: Check = async (trial) => {
  const [here, there] = await trial.both((locks) => locks.getSemaphore(JOB));
  ok(await here.trySetPermits(2), 'their number was set before');
  await Promise.all([here.acquire(), there.acquire()]);
  ok(!(await here.tryAcquire()), 'there was a third of 2');
  await there.release(2);
  const left = await here.availablePermits();
  ok(left === 2, `${left} of 2 came back`);
};

const permits: Check = async (trial) => {
  const [here, there] = await trial.both((locks) => locks.getPermitExpirableSemaphore(JOB));
  ok(await here.trySetPermits(1), 'their number was set before');
  const permit = await here.acquire({ lease: LEASE_MS });
  ok((await there.tryAcquire()) === null, 'another client got it as well');
  const next = await there.tryAcquire({ wait: WAIT_MS });
  ok(next, `no client got it within ${WAIT_MS} ms`);
  ok(!(await here.tryRelease(permit.id)), 'its owner still held it');
  await next.release();
};

const latch: Check = async (trial) => {
  const [here, there] = await trial.both((locks) => locks.getCountDownLatch(JOB));
  ok(await here.trySetCount(2), 'it was set before');
  const opened = begin(there.await());
  await trial.waiting(here, 1);
  await here.countDown();
  const left = await there.getCount();
  ok(left === 1, `${left} of 2 were left after one`);
  await there.countDown();
  ok(await soon(opened), `it was not told within ${SOON_MS} ms`);
};

const forcedRelease: Check = async (trial) => {
  const [one, two] = await trial.two();
  const hold = await one.acquire(JOB);
  const { signal, owner } = hold;
  await sleep(LISTENS_AFTER_MS);
  ok(await two.releaseHolder(JOB, owner), 'its owner was not found');
  await trial.until('an aborted signal', () => signal.aborted);
  ok(!hold.isHeld, 'its owner still held it');
};

const handOver: Check = async (trial) => {
  const [one, two] = await trial.two();
  const token = await (await one.acquire(JOB)).detach();
  ok((await two.tryAcquire(JOB)) === null, 'another client got it as well');
  const hold = await two.attach(token);
  const again = await one.attach(token).catch((error: unknown) => error);
  ok(again instanceof LockLostError, 'another client got it as well');
  ok((await hold.release()) === 'released', 'it was lost');
};

const takeOver: Check = async (trial) => {
  const [one, two] = await trial.two();
  const hold = await one.acquire(JOB);
  const { signal } = hold;
  await sleep(LISTENS_AFTER_MS);
  await two.withLock(JOB, { onConflict: 'replace' }, (newer) => {
    ok(newer.isHeld, 'it was lost');
    return trial.until('an aborted signal', () => signal.aborted);
  });
  ok((await hold.release()) === 'expired', 'its owner still held it');
};

const forgottenScripts: Check = async (trial) => {
  const locks = await trial.open();
  // Others may load them again at the same time.
  for (let round = 0; round < 20; round++) {
    await locks.withLock(JOB, ignore);
    await trial.send('SCRIPT', 'FLUSH');
  }
};

const lostHold: Check = async (trial) => {
  const locks = await trial.open();
  const hold = await locks.acquire(JOB, { lease: RENEWED_MS, renew: true });
  await trial.deleteKeys();
  await trial.until('a hold that is lost', () => !hold.isHeld);
};

/** Braces, globs, quotes, several bytes for a character, and one letter in two spellings. */
const NAMES = ['{a}:b', 'b:{a}', '*?[a]\\', `"'`, 'Größe 鍵 🔒', 'é', 'e\u0301'];

const names: Check = async (trial) => {
  const [one, two] = await trial.two();
  const all = [...NAMES, 'x'.repeat(LONGEST_NAME - trial.prefix.length)];
  const holds = await Promise.all(all.map((name) => one.tryAcquire(name)));
  const taken = await Promise.all(all.map((name) => two.tryAcquire(name)));
  for (const [n, name] of all.entries()) {
    const hold = holds[n];
    ok(hold, `${name} was held with another name`);
    ok(taken[n] === null, `another client got ${name} as well`);
    ok((await hold.release()) === 'released', `${name} was lost`);
  }
};

const prefixes: Check = async (trial) => {
  const open = (part: string): Promise<Locks> => trial.open({ keyPrefix: trial.prefix + part });
  const [one, two] = await Promise.all([open('one:'), open('two:')]);
  const [hold, other] = [await one.acquire(JOB), await two.tryAcquire(JOB)];
  ok(other, 'it was held with another prefix');
  await Promise.all([hold.release(), other.release()]);
};

const ends: Check = async (trial) => {
  const [one, two] = await trial.two();
  const [plain, fair] = [one.getLock('plain'), one.getFairLock('fair')];
  const [reading, writing] = [one.getReadWriteLock('read'), one.getReadWriteLock('write')];
  const locks: readonly Lock[] = [plain, fair, one.getFencedLock('fenced'), reading.readLock(), writing.writeLock()];
  const holds = await Promise.all([...locks.map((lock) => lock.acquire()), one.acquire(JOB, { limit: 1 })]);
  const waiting = begin(Promise.all([two.acquire('plain'), two.getFairLock('fair').acquire()]));
  await Promise.all([trial.waiting(plain, 1), trial.waiting(fair, 1)]);
  const keys = await trial.keys();
  ok(keys.length > locks.length, `only ${keys.length} keys were found`);
  for (const key of keys) ok(Number(await trial.send('PTTL', key)) !== -1, `${key} had none`);
  await Promise.all(holds.map((hold) => hold.release()));
  await Promise.all((await waiting).map((hold) => hold.release()));
};

const CHECKS: Readonly<Record<string, Check>> = {
  'passes the checks at the start of an application': start,
  'keeps other clients out of a lock that is held': exclusion,
  'tells a waiting client that a lock is free': wakeUp,
  'ends a lease by itself': lease,
  'lets a lease be renewed': renewal,
  'counts the holds of an owner': reentry,
  'serves the clients that wait for a fair lock in their order': order,
  'lets many read, or one write': readWrite,
  'gives fencing tokens that rise, also after it has lost its data': fencing,
  'gives no more permits of a limit than there are': limit,
  'gives no more permits of a semaphore than there are': semaphore,
  'takes back a permit whose lease has ended': permits,
  'tells a waiting client that a latch is open': latch,
  'tells a holder that its lock was released by others': forcedRelease,
  'passes a lock from one client to another': handOver,
  'tells a holder that a newer caller has its lock': takeOver,
  'takes scripts again that it has forgotten': forgottenScripts,
  'says at a renewal that a lock is gone': lostHold,
  'tells names apart': names,
  'tells prefixes apart': prefixes,
  'gives every key of a lock an end': ends,
};

/**
 * Cases for a server that speaks the protocol of Redis, or a proxy. Each uses locks as applications do, by two or three clients,
 * under names that begin with `store-kit:`. It deletes its keys and closes its clients in any case. One takes at most three
 * seconds, and fails after ten; they may run at the same time.
 * @param store One that nothing else depends on: scripts that it has loaded are removed.
 */
export const storeCases = (store: StoreUnderTest): readonly StoreCase[] =>
  Object.entries(CHECKS).map(([name, check]) => ({
    name,
    run: async () => {
      try {
        await new StoreTrial(store).run(check);
      } catch (error) {
        throw new Error(`Expected that the store ${name}: ${messageOf(error)}`, { cause: error });
      }
    },
  }));
