import type { Simulation } from '../engine/simulation.js';
import type { SimulatedServer } from '../server/simulated-server.js';

/** Checks that fencing tokens rise with every grant. */
export const watchTokens = (simulation: Simulation, server: SimulatedServer): void => {
  const last = new Map<string, { readonly owner: unknown; readonly token: bigint }>();
  server.onExecuted(({ script, keys, args, reply }) => {
    if (script !== 'fenced-lock/acquire' || reply[0] !== 'acquired') return;
    const lock = String(keys['lock']);
    const token = BigInt(String(reply[4]));
    const before = last.get(lock);
    if (before && before.owner !== args['owner'] && token <= before.token) {
      simulation.violate('tokens rise', `${lock}: ${token} after ${before.token}`);
    }
    last.set(lock, { owner: args['owner'], token });
  });
};

/** Checks that the permits of limits go to the waiters in the order of their places on the server. */
export const watchLimitOrder = (simulation: Simulation, server: SimulatedServer): void => {
  const queues = new Map<string, unknown[]>();
  /** Owners whose request was granted before: a repetition gets the same answer. */
  const granted = new Set<unknown>();
  server.onExecuted(({ script, keys, args, reply }) => {
    if (!script.startsWith('limit/')) return;
    const key = String(keys['permits']);
    const { owner } = args;
    // A place that had ended is given anew, at the end.
    // Places of processes that died end unnoticed.
    const isKept = (each: unknown): boolean =>
      each === owner ? reply[0] !== 'queued' : server.stored.hasPlace(key, String(each));
    const queue = (queues.get(key) ?? []).filter(isKept);
    const place = queue.indexOf(owner);
    if (reply[0] === 'queued') queue.push(owner);
    if (reply[0] === 'acquired' && queue.length > 0 && place !== 0 && !granted.has(owner)) {
      simulation.violate('first come, first served', `${key}: ${String(owner)} before ${String(queue[0])}`);
    }
    if (reply[0] === 'acquired') granted.add(owner);
    queues.set(
      key,
      queue.filter((each) => reply[0] !== 'acquired' || each !== owner),
    );
  });
};

/** Checks that waiters get a fair lock in the order of their places on the server. */
export const watchFairOrder = (simulation: Simulation, server: SimulatedServer): void => {
  const queues = new Map<string, unknown[]>();
  const take = (lock: string, owner: unknown): void => {
    const queue = queues.get(lock) ?? [];
    const place = queue.indexOf(owner);
    if (place > 0)
      simulation.violate('first come, first served', `${lock}: ${String(owner)} before ${String(queue[0])}`);
    if (place >= 0) queue.splice(place, 1);
  };
  server.onExecuted(({ script, keys, args, reply }) => {
    const lock = String(keys['lock']);
    const queue = queues.get(lock) ?? [];
    queues.set(lock, queue);
    if (script === 'fair-lock/leave') {
      const gone = [args['owners']].flat();
      queues.set(
        lock,
        queue.filter((owner) => !gone.includes(owner)),
      );
    }
    // A request that ends a hold may have given the lock to a waiter.
    const holder = reply[0] === 'passed-on' || reply[0] === 'left' ? server.stored.holderOf(lock) : undefined;
    if (holder !== undefined) take(lock, holder);
    if (script !== 'fair-lock/queue') return;
    const place = queue.indexOf(args['owner']);
    if (reply[0] === 'queued' && place < 0) queue.push(args['owner']);
    if (reply[0] === 'acquired') take(lock, args['owner']);
  });
};
