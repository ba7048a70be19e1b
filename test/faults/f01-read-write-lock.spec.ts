import { setTimeout as sleep } from 'node:timers/promises';
import type { ScriptExecutor } from '../../lib/backend/commands/script-executor.js';
import type { RedisConnection } from '../../lib/backend/connection/redis-connection.js';
import { LockUnavailableError } from '../../lib/errors.js';
import { mentions } from '../servers/proxy/fault-proxy.js';
import { settled } from './observe.js';
import { until } from '../kit/until.js';
import { type ClientSetup, DEADLINE, RECONNECT, SLOW, useServerFixture } from './server-fixture.js';
import type { Client } from '../kit/client.js';

/** A lease that cannot end during a test, so a lock that is soon free was undone. */
const LONG = '60s';
/** Long enough for a new connection and a command on it, and shorter than the deadline of a request. */
const LAST_WORDS_MS = 0.75 * DEADLINE;

/** Makes the client reconnect. Its earlier requests are still on their way. */
const hangUp = (client: Client): void => {
  const commands = Reflect.get(client.runtime.backend, 'commands') as ScriptExecutor;
  (Reflect.get(commands, 'connection') as RedisConnection).reconnect();
};

describe('F1, F2: the reply of a request about a read-write lock is lost', () => {
  const fixture = useServerFixture();
  const stateOf = (name: string): Promise<Record<string, string>> => fixture().admin.hgetall(name);
  const timeoutsOf = (name: string): Promise<string[]> => fixture().admin.keys(`{${name}}:*:rwlock_timeout:*`);

  const setUp = async (name: string, options?: ClientSetup) => {
    const { client, proxy } = await fixture().openBehindProxy(options);
    const lock = client.locks.getReadWriteLock(name);
    return { client, proxy, read: lock.readLock(), write: lock.writeLock() };
  };

  const cleared = (name: string): Promise<void> =>
    until(
      async () => Object.keys(await stateOf(name)).length === 0 && (await timeoutsOf(name)).length === 0,
      RECONNECT + 2 * DEADLINE,
      `${name} is free`,
    );

  it.each(['readLock', 'writeLock'] as const)('undoes a single attempt that was granted: %s', async (half) => {
    const { client, proxy } = await setUp('f1:try');
    for (let round = 0; round < 5; round++) {
      const lock = client.locks.getReadWriteLock(`f1:try:${round}`)[half]();
      const cut = proxy.cutAfter(mentions('eval', lock.name));
      const attempt = await settled(() => lock.tryAcquire({ lease: LONG }));
      expect(attempt.error).toBeInstanceOf(LockUnavailableError);
      expect(attempt.error).toMatchObject({ outcome: 'unknown', lockName: lock.name });
      await cut;
      await cleared(lock.name);
      await client.connected();
    }
  });

  it('undoes an attempt to read beside another reader, which is not touched', async () => {
    const { proxy, read } = await setUp('f1:beside');
    const other = await fixture().open().locks.getReadWriteLock('f1:beside').readLock().acquire({ lease: LONG });
    const cut = proxy.cutAfter(mentions('eval', 'f1:beside'));
    const attempt = await settled(() => read.tryAcquire({ lease: LONG }));
    expect(attempt.error).toMatchObject({ outcome: 'unknown' });
    await cut;
    const alone = async () => Object.keys(await stateOf('f1:beside')).length === 2;
    await until(alone, RECONNECT + 2 * DEADLINE, 'the other reader is alone');
    await expect(stateOf('f1:beside')).resolves.toEqual({ mode: 'read', [other.owner]: '1' });
    await expect(timeoutsOf('f1:beside')).resolves.toHaveLength(1);
    expect(await fixture().admin.pttl('f1:beside')).toBeGreaterThan(50_000);
    await expect(other.release()).resolves.toBe('released');
    await cleared('f1:beside');
  });

  it('counts a waiting reader once', async () => {
    const { proxy, read } = await setUp('f1:wait');
    const cut = proxy.cutAfter(mentions('eval', 'f1:wait'));
    const hold = await read.acquire({ wait: '5s', lease: LONG });
    await cut;
    const mine = async () => (await timeoutsOf('f1:wait')).length === 1;
    await until(mine, RECONNECT + 2 * DEADLINE, 'the first try is undone');
    await expect(stateOf('f1:wait')).resolves.toEqual({ mode: 'read', [hold.owner]: '1' });
    await expect(hold.release()).resolves.toBe('released');
    await cleared('f1:wait');
  });

  it.each(['readLock', 'writeLock'] as const)('reports the one release that happened: %s', async (half) => {
    const { client, proxy } = await setUp('f2:release', SLOW);
    const hold = await client.locks.getReadWriteLock('f2:release')[half]().acquire({ lease: LONG });
    const cut = proxy.cutAfter(mentions('eval', 'f2:release'));
    await expect(hold.release()).resolves.toBe('released');
    await cut;
    expect(hold.signal.aborted).toBe(false);
    await cleared('f2:release');
  });

  it('lets a writer whose read request was lost read once', async () => {
    const { proxy, read, write } = await setUp('f1:writer');
    const writing = await write.acquire({ lease: LONG });
    const cut = proxy.cutAfter(mentions('eval', 'f1:writer'));
    const reading = await writing.run(() => read.acquire({ wait: '5s', lease: LONG }));
    await cut;
    const { owner } = writing;
    await expect(stateOf('f1:writer')).resolves.toEqual({ mode: 'write', [`${owner}:write`]: '1', [owner]: '1' });
    await expect(reading.release()).resolves.toBe('released');
    await expect(stateOf('f1:writer')).resolves.toEqual({ mode: 'write', [`${owner}:write`]: '1' });
    await expect(writing.release()).resolves.toBe('released');
    await cleared('f1:writer');
  });

  it('undoes a failed read of a writer, and not its later reads', async () => {
    const { client, proxy, read, write } = await setUp('f1:again');
    const writing = await write.acquire({ lease: LONG });
    const { owner } = writing;
    for (const readsOn of [false, true]) {
      const cut = proxy.cutAfter(mentions('eval', 'f1:again'));
      const attempt = await settled(() => writing.run(() => read.acquire({ wait: 0, lease: LONG })));
      expect(attempt.error).toMatchObject({ outcome: 'unknown' });
      await cut;
      if (readsOn) break;
      const gone = async () => (await timeoutsOf('f1:again')).length === 0;
      await until(gone, RECONNECT + 2 * DEADLINE, 'the read is taken back');
      await client.connected();
    }
    const reading = await writing.run(() => read.acquire({ wait: '5s', lease: LONG }));
    await expect(writing.release()).resolves.toBe('released');
    await sleep(5 * DEADLINE);
    await expect(stateOf('f1:again')).resolves.toEqual({ mode: 'read', [owner]: '1' });
    await expect(timeoutsOf('f1:again')).resolves.toHaveLength(1);
    await expect(reading.release()).resolves.toBe('released');
    await cleared('f1:again');
  });

  it('F7 never ends a read of a writer by a late release of an earlier read', async () => {
    const { client, proxy, read, write } = await setUp('f7:reading', SLOW);
    const writing = await write.acquire({ lease: LONG });
    const before = await writing.run(() => read.acquire({ lease: LONG }));
    proxy.delay(LAST_WORDS_MS, 'request');
    const written = new Promise<void>((resolve) => {
      void proxy.cutAfter((command) => {
        if (mentions('eval', 'f7:reading')(command)) resolve();
        return false;
      });
    });
    const release = settled(() => before.release());
    await written;
    proxy.delay(0, 'request');
    hangUp(client);
    const reading = await writing.run(() => read.acquire({ wait: '5s', lease: LONG }));
    expect((await release).value).toBe('released');
    await expect(writing.release()).resolves.toBe('released');
    await sleep(2 * LAST_WORDS_MS);
    await expect(stateOf('f7:reading')).resolves.toEqual({ mode: 'read', [reading.owner]: '1' });
    await expect(reading.release()).resolves.toBe('released');
    await cleared('f7:reading');
  });

  it('repeats a release that never arrived in the background, also if the writer could not read again', async () => {
    const { client, proxy, read, write } = await setUp('f2:given-up');
    const writing = await write.acquire({ lease: LONG });
    const before = await writing.run(() => read.acquire({ lease: LONG }));
    proxy.acceptThenClose();
    const cut = proxy.cutBefore(mentions('eval', 'f2:given-up'));
    await expect(before.release()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await cut;
    const again = await settled(() => writing.run(() => read.acquire({ wait: 0, lease: LONG })));
    expect(again.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    proxy.heal();
    await client.connected();
    const gone = async () => (await timeoutsOf('f2:given-up')).length === 0;
    await until(gone, RECONNECT + 2 * DEADLINE, 'nothing is read');
    await expect(stateOf('f2:given-up')).resolves.toEqual({ mode: 'write', [`${writing.owner}:write`]: '1' });
    await expect(writing.release()).resolves.toBe('released');
    await cleared('f2:given-up');
  });

  it('repeats a release that never arrived in the background until the writer reads again', async () => {
    const { client, proxy, read, write } = await setUp('f2:behind');
    const writing = await write.acquire({ lease: LONG });
    const before = await writing.run(() => read.acquire({ lease: LONG }));
    proxy.acceptThenClose();
    const cut = proxy.cutBefore(mentions('eval', 'f2:behind'));
    await expect(before.release()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await cut;
    proxy.heal();
    const reading = await writing.run(() => read.acquire({ wait: '5s', lease: LONG }));
    await client.connected();
    await sleep(3 * DEADLINE);
    const { owner } = writing;
    await expect(stateOf('f2:behind')).resolves.toEqual({ mode: 'write', [`${owner}:write`]: '1', [owner]: '1' });
    await expect(reading.release()).resolves.toBe('released');
    await expect(writing.release()).resolves.toBe('released');
    await cleared('f2:behind');
  });
});
