import { LockUnavailableError } from '../../lib/errors.js';
import { mentions } from '../servers/proxy/fault-proxy.js';
import { CLOCK_GRAIN, executions, expectWithin, settled, watchKey } from './observe.js';
import { until } from '../kit/until.js';
import {
  type ClientBehindProxy,
  type ClientSetup,
  DEADLINE,
  LEASE,
  RECONNECT,
  SLOW,
  useServerFixture,
} from './server-fixture.js';

const CLIENTS = 10;
const ROUNDS = 5;
/** A lease that cannot end during a test, so a lock that is soon free was undone. */
const LONG = '60s';

describe('F1: the reply of an acquire is lost', () => {
  const fixture = useServerFixture();

  /** Runs `work` for fifty names, ten at a time, each client behind a proxy of its own. */
  const fiftyTimes = (
    work: (behind: ClientBehindProxy, name: string) => Promise<void>,
    options?: ClientSetup,
  ): Promise<void[]> =>
    Promise.all(
      Array.from({ length: CLIENTS }, async (_, index) => {
        const behind = await fixture().openBehindProxy(options);
        for (let round = 0; round < ROUNDS; round++) await work(behind, `f1:${index}:${round}.`);
      }),
    );

  it('rejects a single attempt as unknown in time, and undoes it', async () => {
    const granted = await executions(fixture().admin, 'hset');
    const attemptOnce = async ({ client, proxy }: ClientBehindProxy, name: string): Promise<void> => {
      const seen = watchKey(fixture().admin, name);
      const cut = proxy.cutAfter(mentions('eval', name));
      const attempt = await settled(() => client.locks.tryAcquire(name, { lease: LONG }));
      expect(attempt.error).toBeInstanceOf(LockUnavailableError);
      expect(attempt.error).toMatchObject({ outcome: 'unknown', lockName: name });
      expectWithin(attempt, SLOW.commandTimeout + 100);
      await cut;
      await until(async () => (await fixture().admin.exists(name)) === 0, 2 * SLOW.commandTimeout, `${name} is undone`);
      expect((await seen()).endless).toBe(false);
      await client.connected();
    };
    await fiftyTimes(attemptOnce, SLOW);
    // All acquires were executed.
    expect((await executions(fixture().admin, 'hset')) - granted).toBe(CLIENTS * ROUNDS);
  });

  it('has one effect when the acquirer waits: the hold counts one', async () => {
    await fiftyTimes(async ({ client, proxy }, name) => {
      const cut = proxy.cutAfter(mentions('eval', name));
      const attempt = await settled(() => client.locks.acquire(name, { wait: '5s', lease: LONG }));
      expectWithin(attempt, RECONNECT + 2 * DEADLINE + 500);
      await cut;
      const hold = fixture().history.note(attempt.value ?? null);
      await expect(fixture().admin.hgetall(name)).resolves.toEqual({ [hold?.owner ?? 'nobody']: '1' });
      await expect(hold?.release()).resolves.toBe('released');
      await expect(fixture().admin.exists(name)).resolves.toBe(0);
    });
  });

  it('leaves the orphan no longer than its lease if the server never answers again', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const cut = proxy.cutAfter(mentions('eval', 'f1:ghost'));
    proxy.acceptThenSilent();
    const attempt = await settled(() => client.locks.tryAcquire('f1:ghost', { lease: LEASE }));
    expect(attempt.error).toBeInstanceOf(LockUnavailableError);
    expectWithin(attempt, DEADLINE + 100);
    await cut;
    await expect(fixture().admin.hvals('f1:ghost')).resolves.toEqual(['1']);
    const left = await fixture().admin.pttl('f1:ghost');
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(LEASE);
    await until(async () => (await fixture().admin.exists('f1:ghost')) === 0, LEASE + CLOCK_GRAIN, 'the lease ends');
  });

  it('has one effect on a re-entry: count 2, and each release takes one off', async () => {
    const { client, proxy } = await fixture().openBehindProxy(SLOW);
    const { admin } = fixture();
    const outer = fixture().history.note(await client.locks.acquire('f1:twice'));
    const cut = proxy.cutAfter(mentions('eval', 'f1:twice', outer.owner));
    const inner = await outer.run(() => client.locks.acquire('f1:twice', { wait: '5s' }));
    await cut;
    await expect(admin.hgetall('f1:twice')).resolves.toEqual({ [outer.owner]: '2' });
    await expect(inner.release()).resolves.toBe('still-held');
    await expect(admin.hgetall('f1:twice')).resolves.toEqual({ [outer.owner]: '1' });
    await expect(outer.release()).resolves.toBe('released');
    await expect(admin.exists('f1:twice')).resolves.toBe(0);
  });
});
