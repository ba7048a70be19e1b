import { RedisWorld } from '../kit/redis-world.js';

const LEASE = 30_000;
const SLOT = 5000;
const HOLDER = { name: 'n', owner: 'holder:1', lease: LEASE };
const WAITER = '7c0f3b52-6a0f-8a2b-9a53-0f0b6a3d1c11:1';

describe('F10 A server that may have forgotten holders of a fair lock', () => {
  const world = new RedisWorld();
  beforeAll(() => world.start());
  afterEach(() => world.reset());
  afterAll(() => world.stop());

  /** A client whose server was started a moment ago, and the waiter behind its hold. */
  const holderAndWaiter = async (restartGuard: '60s' | false) => {
    const { fairLock } = (await world.open({ restartGuard })).runtime.backend;
    const waiter = (await world.open({ restartGuard: false })).runtime.backend;
    await world.admin.hset('n', HOLDER.owner, 1);
    const channel = waiter.fairLock.grantChannel('n', WAITER.replace(/:1$/, ''));
    await waiter.pubSub.subscribe(channel?.name ?? '', () => {});
    const firstLease = waiter.fairLock.firstLease('n', LEASE);
    const place = { name: 'n', owner: WAITER, lease: LEASE, slot: SLOT, firstLease };
    await expect(waiter.fairLock.queue(place)).resolves.toMatchObject({ outcome: 'queued' });
    return fairLock;
  };

  const owners = async () => (await world.probe.state('n')).owners;

  it('does not give it to the head of the queue when it is released', async () => {
    const fairLock = await holderAndWaiter('60s');
    await expect(fairLock.release(HOLDER)).resolves.toMatchObject({ outcome: 'released' });
    expect(await owners()).toEqual({});
    expect(await world.probe.queueLength('n')).toBe(1);
  });

  it('does not give it to the head of the queue when a holder leaves', async () => {
    const fairLock = await holderAndWaiter('60s');
    await fairLock.leave({ name: 'n', owners: [HOLDER.owner], lease: LEASE, slot: SLOT });
    expect(await owners()).toEqual({});
    expect(await world.probe.queueLength('n')).toBe(1);
  });

  it('gives it to the head once the longest lease that it may have forgotten is over', async () => {
    const fairLock = await holderAndWaiter(false);
    await expect(fairLock.release(HOLDER)).resolves.toEqual({ outcome: 'passed-on' });
    expect(await owners()).toEqual({ [WAITER]: 1 });
  });
});
