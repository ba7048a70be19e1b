import type { OwnerId } from '../../../lib/context/owner-ids.js';
import type { Simulation } from '../engine/simulation.js';
import type { SimulatedServer } from '../server/simulated-server.js';

/** Checks that the server gives these locks only to owners that have asked for just this lock. */
export const watchAskers = (simulation: Simulation, server: SimulatedServer, names: readonly string[]): void => {
  const askers = new Map<string, Set<OwnerId>>(names.map((name) => [name, new Set()]));
  server.onExecuted(({ script, keys, args }) => {
    const lock = String(keys['lock']);
    const asked = askers.get(lock);
    if (!asked) return;
    if (/\/(acquire|queue|wait)$/.test(script)) asked.add(String(args['owner']));
    // A release may carry the entry with which its client goes on waiting.
    if (typeof args['again'] === 'string') asked.add(args['again'].split(' ')[0] ?? '');
    const holder = server.stored.holderOf(lock);
    if (holder !== undefined && !asked.has(holder)) {
      simulation.violate('given to those that asked', `${script} gave ${lock} to ${holder}, which did not ask for it`);
    }
  });
};
