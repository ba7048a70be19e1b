import { once } from 'node:events';
import { RedisSubscriber } from '../../lib/backend/connection/redis-subscriber.js';
import { LockOwnershipError } from '../../lib/standalone.js';
import { MonotonicScheduler, systemScheduler } from '../../lib/time/scheduler.js';
import { inWorld } from '../kit/every-backend.js';
import { Owner } from './owner.js';
import { RedisWorld } from '../kit/redis-world.js';
import { track } from '../kit/time.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';
import { serverTarget } from '../../lib/backend/redis-target.js';

const redis = new RedisWorld();

/**
 * Rows of several groups that need a server which loses its data or its connections, stands still, or refuses
 * subscriptions.
 */
inWorld(redis, ({ time }) => {
  describe('A server that restarts empty', () => {
    it('WD-01 ends the hold; the next one on the same name is renewed again', async () => {
      const { locks } = await redis.open({ renewedLease: 3000 });
      const [a, lock] = [new Owner(locks), locks.getLock('n')];
      const lost = await a.run(() => lock.acquire());
      await redis.server.restart();
      await time.until(() => lost.signal.aborted, 3000);
      await expect(a.run(() => lock.release())).rejects.toThrow(LockOwnershipError);
      const hold = await a.run(() => lock.acquire());
      for (let renewals = 0; renewals < 2; renewals++) await redis.renewed('n');
      expect(hold.signal.aborted).toBe(false);
      await expect(redis.probe.state('n')).resolves.toMatchObject({ owners: { [hold.owner]: 1 } });
      await expect(a.run(() => lock.release())).resolves.toBeUndefined();
    });
  });

  describe('A server that cuts connections', () => {
    it('WD-08 does not end the hold: it is renewed over the next connection', async () => {
      const { locks } = await redis.open({ renewedLease: 3000 });
      const hold = await locks.acquire('n');
      await redis.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      // The first may be that with which a client begins once it is connected again.
      for (let renewals = 0; renewals < 2; renewals++) await redis.renewed('n');
      expect(hold.signal.aborted).toBe(false);
      await expect(redis.probe.state('n')).resolves.toMatchObject({ owners: { [hold.owner]: 1 } });
      await expect(hold.release()).resolves.toBe('released');
    });
  });

  describe('A server that stands still', () => {
    it.each([0, 1000])('WD-07 renews no acquisition that was cancelled in flight (wait %p)', async (wait) => {
      const { locks } = await redis.open({ renewedLease: 1500, commandTimeout: 2000 });
      const giveUp = new AbortController();
      const asked = await redis.probe.commands();
      redis.server.pause();
      const attempt = locks.tryAcquire('n', { wait, signal: giveUp.signal });
      const outcome = attempt.catch((error: unknown) => error);
      await time.pass(5);
      giveUp.abort();
      await time.pass(20);
      redis.server.resume();
      expect(await outcome).toMatchObject({ code: 'LOCK_ABORTED' });
      // The commands are the acquisition and its release.
      await time.until(async () => (await redis.probe.commands()) - asked >= 2, 1500);
      await time.until(async () => (await redis.probe.names()).length === 0, 1500);
      await time.pass(1500 / 2);
      await expect(redis.probe.names()).resolves.toEqual([]);
    });

    it('LL-08 aborts the signal of running work by the clock, and the work is waited for', async () => {
      const { locks } = await redis.open({ renewedLease: 600, commandTimeout: 200 });
      const steps: string[] = [];
      const run = locks.withLock('n', async ({ signal }) => {
        redis.server.pause();
        await once(signal, 'abort');
        steps.push(String(signal.reason.code));
        redis.server.resume();
        await time.pause(50);
        steps.push('body ended');
        return 'value';
      });
      steps.push(await time.finish(run, 2000));
      expect(steps).toEqual(['LOCK_LOST', 'body ended', 'value']);
    });
  });

  describe('A server that refuses subscriptions', () => {
    const names = ['n0', 'n1', 'n2', 'n3', 'n4'];

    /** Allows the user `w` to listen to these channels only. Resolves with the URL of that user. */
    const allow = async (...channels: readonly string[]): Promise<string> => {
      const rules = ['reset', 'on', 'nopass', '~*', '+@all', ...channels];
      await redis.admin.call('ACL', 'SETUSER', 'w', ...rules);
      return `redis://w:any@${redis.server.host}:${redis.server.port}`;
    };

    it('PB-03 rejects the refused waiter, and serves the next', async () => {
      const scheduler = new MonotonicScheduler(systemScheduler, () => {});
      const subscriber = new RedisSubscriber(serverTarget(await allow('resetchannels')), 1000, scheduler);
      redis.onReset(() => subscriber.close());
      let heard = 0;
      const hear = (): void => void (heard += 1);
      await expect(subscriber.subscribe('c', hear)).rejects.toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        outcome: 'refused',
      });
      expect(subscriber.channelNames).toEqual([]);
      await allow('allchannels');
      const subscription = await subscriber.subscribe('c', hear);
      expect(subscription.alive).toBe(true);
      const before = heard;
      await redis.admin.publish('c', '0');
      await time.until(() => heard === before + 1, 1000);
    });

    it('PB-09 makes waiters without a subscription poll; all are served again once there is room', async () => {
      const [holder, client] = [
        await redis.open(),
        await redis.open({}, await allow('resetchannels', ...names.slice(0, 2).map((name) => `&${lockChannel(name)}`))),
      ];
      for (const channelCount of [2, 15]) {
        const holds = await Promise.all(names.map((name) => holder.locks.acquire(name)));
        const waiting = Promise.all(names.map((name) => client.locks.acquire(name, { wait: Infinity })));
        const progress = track(waiting);
        await time.until(async () => (await redis.probe.channels()).length === channelCount, 2000);
        await time.pass(100);
        expect(progress.settled).toBe(false);
        await Promise.all(holds.map((hold) => hold.release()));
        for (const hold of await time.finish(waiting, 1000 + time.slack)) await hold.release();
        await allow('allchannels');
      }
    });
  });
});
