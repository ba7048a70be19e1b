import type { Client, ClientOptions } from './client.js';
import type { Time } from './time.js';

/** The state of a name as the backend stores it. */
export interface RawState {
  readonly type: string;
  /** The hold count of each owner. */
  readonly owners: Readonly<Record<string, number>>;
  /** Milliseconds; -1 without end, -2 where there is nothing. */
  readonly ttl: number;
}

/** The place of a waiter for a fair lock, as the backend stores it. */
export interface RawPlace {
  readonly owner: string;
  /** Milliseconds until the place ends; `undefined` if no deadline is stored. */
  readonly keptFor: number | undefined;
}

/** Looks at the backend, and changes it, behind the back of every client. */
export interface Probe {
  state(name: string): Promise<RawState>;
  names(): Promise<string[]>;
  /** Puts a hold in place of whatever is there. Nothing is announced. */
  put(name: string, owner: string, ttl: number, count?: number): Promise<void>;
  /** Deletes what is there. Nothing is announced. */
  remove(name: string): Promise<void>;
  /** The waiters for a fair lock, the next one first. */
  queue(name: string): Promise<readonly RawPlace[]>;
  /** The number of waiters for a fair lock. */
  queueLength(name: string): Promise<number>;
  /** Puts a waiter at the end of a fair lock's queue. */
  enqueue(name: string, place: RawPlace): Promise<void>;
  /** Deletes everything, in one instant. Nothing is announced. */
  clear(): Promise<void>;
  /** How many connections, or clients in memory, listen to a channel. */
  subscribers(channel: string): Promise<number>;
  /** Channels that have listeners. */
  channels(): Promise<string[]>;
  /** How many transitions and queries the backend was asked for so far, by all clients. */
  commands(): Promise<number>;
}

/** One server, or one memory that stands for a server, with its time. The contract is the same in all of them. */
export interface World {
  readonly name: string;
  readonly time: Time;
  readonly probe: Probe;
  start(): Promise<void>;
  /** Opens a client and resolves when it can send commands. */
  open(options?: ClientOptions): Promise<Client>;
  /** Closes all clients and forgets everything. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}
