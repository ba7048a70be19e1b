import { waitingClients } from '../../lib/keys/redisson-keys.js';
import { until } from '../kit/until.js';
import { RedisWorld } from '../kit/redis-world.js';

const LEASE = 30_000;
const HOLDER = { name: 'n', owner: 'holder:1', lease: LEASE };

describe('F10 A server that may have forgotten holders', () => {
  const world = new RedisWorld();
  beforeAll(() => world.start());
  afterEach(() => world.reset());
  afterAll(() => world.stop());

  /** A holder whose server was started a moment ago, and a client that waits for it. */
  const holderAndWaiter = async (restartGuard: '60s' | false) => {
    const { lock } = (await world.open({ restartGuard })).runtime.backend;
    const waiter = (await world.open({ restartGuard: false })).runtime.backend;
    await world.admin.hset('n', HOLDER.owner, 1);
    const client = '7c0f3b52-6a0f-8a2b-9a53-0f0b6a3d1c11';
    await waiter.pubSub.subscribe(waiter.lock.grantChannel('n', client).name, () => {});
    const entry = waiter.lock.entryOf(`${client}:1`, LEASE);
    await expect(waiter.lock.wait({ name: 'n', entry, isNew: true })).resolves.toMatchObject({ outcome: 'busy' });
    return { lock, entry };
  };

  it('does not pass on a lock when it is released', async () => {
    const { lock } = await holderAndWaiter('60s');
    await expect(lock.release(HOLDER)).resolves.toMatchObject({ outcome: 'released' });
    expect((await world.probe.state('n')).owners).toEqual({});
  });

  it('does not pass on a lock when its holder withdraws', async () => {
    const { lock } = await holderAndWaiter('60s');
    lock.withdraw('n', lock.entryOf(HOLDER.owner, LEASE));
    await until(async () => (await world.probe.state('n')).type === 'none');
    expect(await world.admin.exists(waitingClients('n'))).toBe(1);
  });

  it('lets a lock be detached, but not attached', async () => {
    const { takeOver } = (await world.open({ restartGuard: '60s' })).runtime.backend;
    await world.admin.hset('n', HOLDER.owner, 1);
    const kind = 'plain' as const;
    const detaching = { kind, name: 'n', from: HOLDER.owner, to: 'token:1', lease: LEASE };
    await expect(takeOver.detach(detaching)).resolves.toMatchObject({ outcome: 'held' });
    const attaching = { ...detaching, from: 'token:1', to: 'next:1' };
    await expect(takeOver.attach(attaching)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', outcome: 'refused' });
    expect((await world.probe.state('n')).owners).toEqual({ 'token:1': 1 });
  });

  it('passes it on once the longest lease that it may have forgotten is over', async () => {
    const { lock, entry } = await holderAndWaiter(false);
    await expect(lock.release(HOLDER)).resolves.toEqual({ outcome: 'passed-on' });
    expect((await world.probe.state('n')).owners).toEqual({ [entry.owner]: 1 });
  });
});
