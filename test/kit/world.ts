import type { Client, ClientOptions } from './client.js';
import type { Time } from './time.js';

/** The state of a name, as stored by the backend. */
export interface RawState {
  readonly type: string;
  /** The hold count of each owner. */
  readonly owners: Readonly<Record<string, number>>;
  /** The time to live, ms: -1 without an end, -2 if the key does not exist. */
  readonly ttl: number;
}

/** The place of a waiter for a fair lock, as stored by the backend. */
export interface RawPlace {
  readonly owner: string;
  /** The time until the place ends, ms; `undefined` if no deadline is stored. */
  readonly keptFor: number | undefined;
}

/** {@link World.renewed}, by the times to live that the backend tells. */
export const renewed = ({ time, probe }: Pick<World, 'time' | 'probe'>, names: readonly string[]): Promise<void> => {
  const leftOf = async (name: string): Promise<number> => {
    const { ttl } = await probe.state(name);
    if (ttl < 0) throw new Error(`There is no lease under "${name}": its time to live is ${ttl}`);
    return ttl;
  };
  return time.renewed(() => Promise.all(names.map(leftOf)));
};

/** Reads and changes the backend without the knowledge of any client. */
export interface Probe {
  state(name: string): Promise<RawState>;
  names(): Promise<string[]>;
  /** Replaces the value of the name by a hold. Nothing is announced. */
  put(name: string, owner: string, ttl: number, count?: number): Promise<void>;
  /** Deletes the name. Nothing is announced. */
  remove(name: string): Promise<void>;
  /** The waiters for a fair lock, the next one first. */
  queue(name: string): Promise<readonly RawPlace[]>;
  /** The number of waiters for a fair lock. */
  queueLength(name: string): Promise<number>;
  /** The number of clients that wait on the server for a plain lock. */
  waitingClients(name: string): Promise<number>;
  /** Puts a waiter at the end of a fair lock's queue. */
  enqueue(name: string, place: RawPlace): Promise<void>;
  /** Deletes everything, in one instant. Nothing is announced. */
  clear(): Promise<void>;
  /** The number of connections, or of clients in memory, that listen to a channel. */
  subscribers(channel: string): Promise<number>;
  /** Channels that have listeners. */
  channels(): Promise<string[]>;
  /** The number of transitions and queries sent to the backend so far, by all clients. */
  commands(): Promise<number>;
}

/** One server, or one memory in place of a server, with its time. The contract is the same in all of them. */
export interface World {
  readonly name: string;
  readonly time: Time;
  readonly probe: Probe;
  start(): Promise<void>;
  /** Opens a client and resolves when it can send commands. */
  open(options?: ClientOptions): Promise<Client>;
  /**
   * Resolves when the lease under each of these names was renewed once more. Fails if one has ended. With a watchdog
   * time-out of 3000 ms a renewal is due each second, and only a stall of two seconds ends a hold.
   */
  renewed(...names: readonly string[]): Promise<void>;
  /** Closes all clients and forgets everything. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}
