import type { SimulatedProcess } from '../client/simulated-process.js';
import type { Simulation } from '../engine/simulation.js';
import type { SimulatedServer } from '../server/simulated-server.js';

/**
 * Whether a key may remain. Numbers and tokens remain in Redis, as those of Redisson do. Permits whose lease is over
 * remain until a client asks for one.
 */
const isMeantToStay = (name: string): boolean =>
  /^redisson_(lock_token|unlock_latch)|^\{?(semaphore|permits|latch)/.test(name);

/** Checks that no hold, key or subscription is left when everything has ended. */
export const checkLeftovers = (
  simulation: Simulation,
  processes: readonly SimulatedProcess[],
  servers: readonly SimulatedServer[],
): void => {
  const complain = (what: string): void => simulation.violate('nothing left', what);
  for (const server of servers) {
    const names = server.store.keys().filter((name) => !isMeantToStay(name));
    if (names.length > 0) complain(`${server.name} still has ${names.join(', ')}`);
    const channels = server.store.heardChannels;
    if (channels.length > 0) complain(`${server.name} still has subscriptions to ${channels.join(', ')}`);
  }
  for (const process of processes) {
    if (!process.isAlive) continue;
    for (const { grants, acquirer } of process.runtimes) {
      if (grants.size > 0) complain(`${process.name} still has ${grants.size} grants`);
      if (acquirer.contended > 0) complain(`${process.name} still contends for ${acquirer.contended} locks`);
    }
  }
};
