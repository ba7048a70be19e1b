import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockLostError, LockShutdownError } from '../../lib/errors.js';
import { LockService } from '../../lib/lock.service.js';
import { RedisLockModule } from '../../lib/module/redis-lock.module.js';
import { mentions } from '../servers/proxy/fault-proxy.js';
import { CLOCK_GRAIN, expectWithin, settled } from './observe.js';
import { until } from '../kit/until.js';
import { DEADLINE, LEASE, POLL, useServerFixture } from './server-fixture.js';
import { untilConnected } from '../kit/client.js';

const SHUTDOWN = 500;
/** I14: the limit for the whole shutdown with that time-out. */
const MOST = 2000;

describe('F43: shutdown', () => {
  const fixture = useServerFixture();

  const start = async (
    connection: string,
    shutdownTimeout: number | undefined = SHUTDOWN,
  ): Promise<{ application: INestApplicationContext; locks: LockService }> => {
    const timing = { renewedLease: LEASE, commandTimeout: DEADLINE, safetyPoll: POLL, shutdownTimeout };
    class Application {}
    Module({ imports: [RedisLockModule.forRoot({ connection, ...timing })] })(Application);
    const application = await NestFactory.createApplicationContext(Application, { logger: false });
    fixture().after(() => application.close());
    return { application, locks: application.get(LockService) };
  };

  const close = (application: INestApplicationContext) => settled(() => application.close());

  const clientsOfOurs = async () =>
    String(await fixture().admin.client('LIST')).match(/name=nest-redis-lock/g)?.length ?? 0;

  it('while holding: the holder gets its time, then its signal aborts, and its release is sent', async () => {
    const { application, locks } = await start(fixture().server.url);
    const reasons: unknown[] = [];
    let isRunning = false;
    const work = locks.withLock('f43:held', async (hold) => {
      fixture().history.note(hold);
      isRunning = true;
      await new Promise((resolve) => hold.signal.addEventListener('abort', resolve));
      reasons.push(hold.signal.reason);
      hold.assertHeld();
      return 'finished';
    });
    // The server knows of the hold before its holder does. Until then a shutdown would reject the holder as a waiter.
    await until(() => isRunning, 1000, 'it holds');
    const closed = await close(application);
    await expect(work).resolves.toBe('finished');
    expect(reasons).toEqual([expect.any(LockShutdownError)]);
    expect(closed.ms).toBeGreaterThanOrEqual((SHUTDOWN * 3) / 5 - 5);
    expectWithin(closed, SHUTDOWN + DEADLINE);
    await expect(fixture().admin.exists('f43:held')).resolves.toBe(0);
    await expect(clientsOfOurs()).resolves.toBe(0);
  });

  it('while work runs with a permit without a lease: the work ends, and the permit returns', async () => {
    const { application, locks } = await start(fixture().server.url);
    const semaphore = locks.getPermitExpirableSemaphore('f43:permits');
    await semaphore.trySetPermits(1);
    let isRunning = false;
    const work = semaphore.withPermit(async () => {
      isRunning = true;
      await sleep(SHUTDOWN / 2);
      return 'finished';
    });
    // The server knows of the permit before its holder does. Until then a shutdown would reject the holder as a waiter.
    await until(() => isRunning, 1000, 'it has the permit');
    await expect(fixture().admin.get('f43:permits')).resolves.toBe('0');
    const closed = await close(application);
    await expect(work).resolves.toBe('finished');
    expectWithin(closed, SHUTDOWN + DEADLINE);
    await expect(fixture().admin.get('f43:permits')).resolves.toBe('1');
  });

  it('D20: while work runs with a permit that lasts too long: its signal aborts, and the permit returns', async () => {
    const { application, locks } = await start(fixture().server.url);
    const semaphore = locks.getPermitExpirableSemaphore('f43:long');
    await semaphore.trySetPermits(1);
    let signal: AbortSignal | undefined;
    const work = semaphore.withPermit(async (permit) => {
      ({ signal } = permit);
      await once(signal, 'abort');
      return 'stopped';
    });
    await until(() => signal !== undefined, 1000, 'it has the permit');
    const closed = await close(application);
    await expect(work).resolves.toBe('stopped');
    expect(signal?.reason).toBeInstanceOf(LockShutdownError);
    expectWithin(closed, SHUTDOWN + DEADLINE);
    await expect(fixture().admin.get('f43:long')).resolves.toBe('1');
  });

  it('while a holder does not react: its lock is not released, but ends by its lease', async () => {
    const { application, locks } = await start(fixture().server.url);
    const hold = fixture().history.note(await locks.acquire('f43:deaf'));
    const closed = await close(application);
    expectWithin(closed, MOST);
    expect(hold.signal.reason).toBeInstanceOf(LockShutdownError);
    await expect(fixture().admin.hgetall('f43:deaf')).resolves.toEqual({ [hold.owner]: '1' });
    hold.assertHeld();
    await until(async () => (await fixture().admin.exists('f43:deaf')) === 0, LEASE + CLOCK_GRAIN, 'the lease ends');
    expect(() => hold.assertHeld()).toThrow(LockLostError);
  });

  it('while waiting: waiters are rejected at once, no lock is granted, and nothing stays behind', async () => {
    const { application, locks } = await start(fixture().server.url);
    const other = fixture().open();
    const hold = fixture().history.note(await other.locks.acquire('f43:waited', { lease: '60s' }));
    const waiters = Array.from({ length: 10 }, () => settled(() => locks.acquire('f43:waited', { wait: Infinity })));
    await fixture().listening('f43:waited');
    const closing = close(application);
    for (const { error } of await Promise.all(waiters)) expect(error).toBeInstanceOf(LockShutdownError);
    await expect(locks.acquire('f43:new')).rejects.toThrow(LockShutdownError);
    await expect(locks.tryAcquire('f43:new')).rejects.toThrow(LockShutdownError);
    expectWithin(await closing, 200);
    await fixture().listening('f43:waited', 0);
    await expect(fixture().admin.hgetall('f43:waited')).resolves.toEqual({ [hold.owner]: '1' });
    await hold.release();
    await expect(fixture().admin.keys('*')).resolves.toEqual([]);
  });

  it.each(['frozen', 'killed', 'cut off', 'mute'] as const)('while the server is %s: it still ends', async (how) => {
    const proxy = await fixture().proxy();
    const { application, locks } = await start(proxy.url);
    const other = fixture().open();
    await other.locks.acquire('f43:fault', { lease: '10s' });
    const hold = await locks.acquire('f43:mine');
    let isRunning = false;
    const body = settled(() =>
      locks.withLock('f43:body', (mine) => {
        isRunning = true;
        return new Promise((resolve) => mine.signal.addEventListener('abort', resolve));
      }),
    );
    const waiter = settled(() => locks.acquire('f43:fault', { wait: Infinity }));
    await fixture().listening('f43:fault');
    await until(() => isRunning, 1000, 'the body runs');
    if (how === 'frozen') fixture().server.pause();
    if (how === 'killed') await fixture().server.kill9();
    if (how === 'cut off') proxy.blackhole();
    if (how === 'mute') proxy.acceptThenSilent();
    if (how === 'mute') proxy.cutAll();
    const tried = settled(() => locks.tryAcquire('f43:ghost'));
    const closed = await close(application);
    if (how === 'frozen') fixture().server.resume();
    if (how === 'killed') await fixture().server.restart();
    expectWithin(closed, MOST);
    expect((await waiter).error).toBeInstanceOf(LockShutdownError);
    expect((await tried).error).toMatchObject({
      code: expect.stringMatching(/LOCK_(UNAVAILABLE|SHUTDOWN)/) as unknown,
    });
    expect(hold.signal.aborted).toBe(true);
    expect((await body).error).toBeUndefined();
  });

  it('while the server is frozen and a holder ignores its signal: it ends when shutdownTimeout does', async () => {
    const { application, locks } = await start(fixture().server.url, MOST);
    const hold = await locks.acquire('f43:ignores', { lease: '60s' });
    const other = await fixture().open().locks.acquire('f43:fault', { lease: '60s' });
    const waiter = settled(() => locks.acquire('f43:fault', { wait: Infinity }));
    await fixture().listening('f43:fault');
    fixture().server.pause();
    const ghost = settled(() => locks.tryAcquire('f43:ghost'));
    const closed = await close(application);
    fixture().server.resume();
    // The shutdown waits for the commands at the end of its timers, and for nothing else.
    expectWithin(closed, MOST + 50);
    expect(closed.ms).toBeGreaterThan(MOST / 2);
    expect(hold.signal.reason).toBeInstanceOf(LockShutdownError);
    expect((await waiter).error).toBeInstanceOf(LockShutdownError);
    expect((await ghost).error).toBeDefined();
    await other.release();
  });

  it('while a token is being attached: the lock is released, and the caller gets an error', async () => {
    const proxy = await fixture().proxy();
    const { application, locks } = await start(proxy.url, MOST);
    await untilConnected(locks);
    const hold = await fixture().open().locks.acquire('f43:token');
    const token = await hold.detach({ lease: '60s' });
    const [before] = await fixture().admin.hkeys('f43:token');
    proxy.hold('reply');
    const attached = settled(() => locks.attach(token));
    const isAttached = async () => !(await fixture().admin.hexists('f43:token', before ?? ''));
    await until(isAttached, MOST, 'the server has attached it');
    const closing = close(application);
    proxy.heal();
    await closing;
    expect((await attached).error).toMatchObject({
      code: expect.stringMatching(/LOCK_(UNAVAILABLE|SHUTDOWN)/) as unknown,
    });
    await expect(fixture().admin.exists('f43:token')).resolves.toBe(0);
  });

  it('while an acquire of unknown outcome is being undone: it is undone first', async () => {
    const proxy = await fixture().proxy();
    const { application, locks } = await start(proxy.url);
    await untilConnected(locks);
    const cut = proxy.cutAfter(mentions('eval', 'f43:ghost'));
    const tried = settled(() => locks.tryAcquire('f43:ghost', { lease: '60s' }));
    await cut;
    expect((await tried).error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expectWithin(await close(application), MOST);
    await expect(fixture().admin.exists('f43:ghost')).resolves.toBe(0);
  });

  it('with code that continues afterwards: it gets errors in time, and does not block the process', async () => {
    const { application, locks } = await start(fixture().server.url);
    let turns = 0;
    const ticking = setInterval(() => turns++, 5);
    const afterwards: unknown[] = [];
    await locks.withLock('f43:late', { lease: '20s' }, async (hold) => {
      await application.close();
      turns = 0;
      for (const call of [
        () => locks.acquire('f43:late', { wait: 300 }),
        () => locks.tryAcquire('f43:other', { wait: 300 }),
        () => hold.extend('5s'),
        () => locks.getLock('f43:late').isLocked(),
        () => locks.getLock('f43:late').forceRelease(),
      ]) {
        const outcome = await settled<unknown>(call);
        expectWithin(outcome, 300 + DEADLINE + 100);
        afterwards.push(outcome.error);
      }
    });
    clearInterval(ticking);
    const codes = ['LOCK_UNAVAILABLE', 'LOCK_SHUTDOWN', 'LOCK_UNAVAILABLE', 'LOCK_UNAVAILABLE', 'LOCK_UNAVAILABLE'];
    expect(afterwards).toEqual(codes.map((code) => expect.objectContaining({ code }) as unknown));
    expect(turns).toBeGreaterThan(10);
  });

  it('lets the process exit by itself', async () => {
    const other = fixture().open();
    await other.locks.acquire('waited-for', { lease: '60s' });
    const files = ['../servers/register.cjs', './fixtures/shutdown.process.ts'];
    const [register = '', file = ''] = files.map((path) => fileURLToPath(new URL(path, import.meta.url)));
    const child = spawn(process.execPath, [register, file, fixture().server.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    fixture().after(async () => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    await fixture().listening('waited-for');
    const exited = await settled(async () => {
      child.kill('SIGUSR2');
      return once(child, 'exit');
    });
    expectWithin(exited, MOST);
    expect(exited.value).toEqual([0, null]);
    await until(async () => (await clientsOfOurs()) === 1, 1000, 'only the other client is connected');
  });
});
