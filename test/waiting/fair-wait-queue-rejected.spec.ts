import { LockKeyTypeError } from '../../lib/errors.js';
import { FairQueueWorld, SLOT } from './fair-queue-world.js';
import { unavailable } from './held-requests.js';

const NOT_A_LOCK = new LockKeyTypeError('Not a lock');

/** A waiter whose wait has ended while its attempt is in flight. */
const expiredDuringAttempt = async () => {
  const world = new FairQueueWorld();
  const first = await world.enterFirst({ wait: 1000 });
  await world.publish(first.owner);
  const second = await world.enter();
  await world.clock.advance(1100);
  expect(first.outcome).toBe('waiting');
  return { world, first, second };
};

describe('A waiter for a fair lock that is rejected during its attempt, after its wait has ended,', () => {
  it('leaves the lock that the attempt acquires', async () => {
    const { world, first, second } = await expiredDuringAttempt();
    await world.fail(second.owner, NOT_A_LOCK);
    expect(first.outcome).toBe('LockKeyTypeError');
    await world.grant(first.owner);
    expect(world.left).toEqual([first.owner]);
  });

  it('leaves the place that the attempt finds', async () => {
    const { world, first, second } = await expiredDuringAttempt();
    await world.fail(second.owner, NOT_A_LOCK);
    await world.place(first.owner, { outcome: 'waiting' });
    expect(world.left).toEqual([first.owner]);
  });

  it('leaves its place if the attempt itself fails permanently', async () => {
    const { world, first } = await expiredDuringAttempt();
    await world.fail(first.owner, unavailable('refused', true));
    expect(first.outcome).toBe('LockUnavailableError');
    expect(world.left).toEqual([first.owner]);
  });

  it('leaves the lock if the heartbeat fails permanently before the attempt acquires it', async () => {
    const world = new FairQueueWorld();
    const first = await world.enterFirst({ wait: SLOT / 3 - 50 });
    await world.publish(first.owner);
    await world.clock.advance(SLOT / 3);
    expect(first.outcome).toBe('waiting');
    world.locks.keeps.take().fail(NOT_A_LOCK);
    await world.settle();
    await world.grant(first.owner);
    expect(world.left).toEqual([first.owner]);
  });
});
