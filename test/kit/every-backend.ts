import { MemoryWorld } from './memory-world.js';
import { RedisWorld } from './redis-world.js';
import type { World } from './world.js';

/** Runs the tests of `suite` in the given world. */
export const inWorld = (world: World, suite: (world: World) => void): void => {
  describe(`on ${world.name}`, () => {
    beforeAll(() => world.start());
    afterEach(() => world.reset());
    afterAll(() => world.stop());
    suite(world);
  });
};

/** Runs the tests of `suite` on every backend. */
export const onEveryBackend = (suite: (world: World) => void): void => {
  for (const world of [new MemoryWorld(), new RedisWorld()]) inWorld(world, suite);
};

/*
 * Rows that make no sense without a server, and so are not run on memory:
 *
 *   RL-22 WD-13           another process cannot reach this process's memory
 *   WD-01 … WD-03 WD-08   nothing to restart and no connection to cut (the data itself being gone is WD-09, on both)
 *   WD-14 (second half)   that the process can exit is a matter of sockets (that renewals stop is tested on both)
 *   LL-08 (disconnection) memory is never unreachable (the deleted key is tested on both)
 *   HO-10                 the clients of one memory are one process, which hands over to itself
 *   PB-03 PB-09           memory has no subscription that could be refused
 *   X01 … X17, L10        are about what a peer writes, which has no access to this memory
 */
