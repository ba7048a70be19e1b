import type { SimulatedProcess } from '../client/simulated-process.js';
import type { Simulation } from '../engine/simulation.js';
import type { SimulatedServer } from '../server/simulated-server.js';

/**
 * Tells whether a key may stay. Numbers and tokens stay in Redis, as Redisson's do. Permits whose lease is over stay
 * until a client asks for one. Markers end by themselves.
 */
const isMeantToStay = (name: string): boolean =>
  /^redisson_(lock_token|unlock_latch)|^\{?(semaphore|permits|latch)/.test(name);

/** When everything has ended nothing is left: no hold, no key, no subscription. */
export const checkLeftovers = (
  simulation: Simulation,
  processes: readonly SimulatedProcess[],
  servers: readonly SimulatedServer[],
): void => {
  const complain = (what: string): void => simulation.violate('nothing left', what);
  for (const server of servers) {
    const names = server.store.names().filter((name) => !isMeantToStay(name));
    if (names.length > 0) complain(`${server.name} still has ${names.join(', ')}`);
    const channels = server.store.heardChannels;
    if (channels.length > 0) complain(`${server.name} still tells those who listen to ${channels.join(', ')}`);
  }
  for (const process of processes) {
    if (!process.isAlive) continue;
    for (const { grants, acquirer } of process.runtimes) {
      if (grants.size > 0) complain(`${process.name} still has ${grants.size} grants`);
      if (acquirer.contended > 0) complain(`${process.name} still contends for ${acquirer.contended} locks`);
    }
  }
};
