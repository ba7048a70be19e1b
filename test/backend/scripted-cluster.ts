import { EventEmitter } from 'node:events';
import type { RedisOptions } from 'ioredis';
import {
  type Address,
  type ClusterServers,
  clusterServers,
  hostOf,
  portOf,
} from '../../lib/backend/cluster/cluster-servers.js';
import type { AddressMap } from '../../lib/backend/connection/connection-input.js';
import type { RedisClient } from '../../lib/backend/connection/redis-client.js';
import { hashSlot } from '../../lib/keys/hash-slot.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { type HeldBack, heldBack } from './scripted-nodes.js';

const SLOTS = 16_384;

/** An error reply of a server, as ioredis reports it. */
export const replyError = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });

/** Gives the reply of a server to a command. A thrown error is the server's error reply. */
type Answerer = () => unknown;

/** A promise that rejects requests under way when the connection is cut. Often there are none. */
const connectionCut = (): HeldBack<never> => {
  const cut = heldBack<never>();
  cut.promise.catch(() => {});
  return cut;
};

/** One connection to a scripted server. */
class ScriptedClient implements RedisClient {
  status = 'wait';
  readonly isCluster = false;
  readonly options: RedisOptions;
  private readonly events = new EventEmitter();
  private cut = connectionCut();

  /** @param role The purpose of the connection. */
  constructor(
    private readonly server: ScriptedServer,
    readonly address: Address,
    readonly role = '',
  ) {
    this.options = { host: hostOf(address), port: portOf(address) };
    this.events.on('error', () => {});
  }

  async connect(): Promise<void> {
    this.status = 'connecting';
    await Promise.resolve();
    if (this.server.isUp) this.becomeReady();
  }

  becomeReady(): void {
    if (!['connecting', 'reconnecting'].includes(this.status)) return;
    this.status = 'ready';
    this.cut = connectionCut();
    this.events.emit('ready');
  }

  /** Cuts the connection, and rejects the requests under way on it. */
  drop(status: 'reconnecting' | 'end'): void {
    if (this.status === 'end') return;
    this.status = status;
    this.cut.reject(Object.assign(new Error('cut'), { name: 'MaxRetriesPerRequestError' }));
    this.events.emit('close');
    if (status === 'end') queueMicrotask(() => this.events.emit('end'));
  }

  emit(event: string, ...args: unknown[]): void {
    this.events.emit(event, ...args);
  }

  disconnect(reconnect = false): void {
    this.drop(reconnect ? 'reconnecting' : 'end');
  }

  duplicate({ connectionName = '' }: RedisOptions): RedisClient {
    const client = new ScriptedClient(this.server, this.address, connectionName.replace(/^.*:/, ''));
    this.server.clients.push(client);
    return client;
  }

  on(event: string, listener: (...args: never[]) => void): this {
    this.events.on(event, listener as (...args: unknown[]) => void);
    return this;
  }

  evalsha = (): Promise<unknown> => this.ask('EVALSHA');
  eval = (): Promise<unknown> => this.ask('EVAL');
  subscribe = (...channels: string[]): Promise<unknown> => this.ask(`SUBSCRIBE ${channels.join(' ')}`);
  unsubscribe = (...channels: string[]): Promise<unknown> => this.ask(`UNSUBSCRIBE ${channels.join(' ')}`);
  ssubscribe = (...channels: string[]): Promise<unknown> => this.ask(`SSUBSCRIBE ${channels.join(' ')}`);
  sunsubscribe = (...channels: string[]): Promise<unknown> => this.ask(`SUNSUBSCRIBE ${channels.join(' ')}`);
  pubsub = (subcommand: string): Promise<unknown> => this.ask(`PUBSUB ${subcommand}`);
  cluster = (subcommand: string): Promise<unknown> => this.ask(`CLUSTER ${subcommand}`);
  asking = (): Promise<unknown> => this.ask('ASKING');
  wait = (): Promise<unknown> => this.ask('WAIT');
  ping = (): Promise<unknown> => this.ask('PING');
  time = (): Promise<unknown> => this.ask('TIME');
  info = (section: string): Promise<unknown> => this.ask(`INFO ${section}`);
  call = (command: string): Promise<unknown> => this.ask(command);

  private ask(command: string): Promise<unknown> {
    if (this.status !== 'ready') return Promise.reject(new Error("Stream isn't writeable"));
    return Promise.race([this.server.reply(command), this.cut.promise]);
  }
}

/** A server of a cluster. The test decides on its replies, and whether it can be reached. */
export class ScriptedServer {
  readonly clients: ScriptedClient[] = [];
  /** Commands in the order in which they arrived. */
  readonly log: string[] = [];
  isUp = true;
  private readonly answers = new Map<string, Answerer>();

  constructor(private readonly defaults: (command: string) => unknown) {}

  /** Sets the reply to commands with this beginning, from now on. */
  answer(command: string, answerer: Answerer): void {
    this.answers.set(command, answerer);
  }

  /** Holds these commands back from now on, until the test answers them, the oldest first. */
  holdBack(command: string): HeldBack<unknown>[] {
    const held: HeldBack<unknown>[] = [];
    this.answer(command, () => {
      const one = heldBack<unknown>();
      held.push(one);
      return one.promise;
    });
    return held;
  }

  async reply(command: string): Promise<unknown> {
    this.log.push(command);
    const [, answerer] = [...this.answers].find(([start]) => command.startsWith(start)) ?? [];
    return answerer ? answerer() : this.defaults(command);
  }

  /** The number of commands with this beginning so far. */
  count(command: string): number {
    return this.log.filter((one) => one.startsWith(command)).length;
  }

  /** The open connections for this role. */
  open(role: 'commands' | 'subscriber'): ScriptedClient[] {
    return this.clients.filter((client) => client.role === role && client.status === 'ready');
  }

  /** Cuts every connection and refuses new ones. */
  fail(): void {
    this.isUp = false;
    for (const client of this.clients) if (client.status === 'ready') client.drop('reconnecting');
  }

  comeBack(): void {
    this.isUp = true;
    for (const client of this.clients) client.becomeReady();
  }
}

/** A master, then its replicas. */
export type Shard = readonly string[];

/**
 * A cluster on a manual clock. Its slots are shared out evenly among {@link shards}. Every server says so, unless the
 * test sets another reply.
 */
export class ScriptedCluster {
  readonly clock = new ManualClock();
  readonly errors: unknown[] = [];
  readonly scheduler = new MonotonicScheduler(this.clock, (error) => void this.errors.push(error));
  private readonly byAddress = new Map<Address, ScriptedServer>();

  constructor(public shards: readonly Shard[]) {}

  at(address: string): ScriptedServer {
    const server = this.byAddress.get(address) ?? new ScriptedServer((command) => this.defaultReply(command));
    this.byAddress.set(address, server);
    return server;
  }

  /** The servers of the cluster, with scripted connections to them. */
  servers(seeds: readonly Address[], natMap?: AddressMap): ClusterServers {
    const cluster = seeds.map((seed) => ({ host: hostOf(seed), port: portOf(seed) }));
    return {
      ...clusterServers({ cluster, natMap }),
      connectionTo: (address) => new ScriptedClient(this.at(address), address),
    };
  }

  /** The reply to `CLUSTER SLOTS` of a cluster with these shards. */
  slots(shards: readonly Shard[] = this.shards): unknown {
    const share = SLOTS / shards.length;
    return shards.map((servers, index) => [
      Math.ceil(index * share),
      Math.ceil((index + 1) * share) - 1,
      ...servers.map((address) => [address.split(':')[0], Number(address.split(':')[1]), 'id', []]),
    ]);
  }

  /** A name with this beginning that is served by the shard of this index. */
  nameIn(shard: number, start = 'k'): string {
    const share = SLOTS / this.shards.length;
    for (let number = 0; ; number += 1) {
      const name = `${start}${number}`;
      const slot = hashSlot(name);
      if (slot >= Math.ceil(shard * share) && slot < Math.ceil((shard + 1) * share)) return name;
    }
  }

  private defaultReply(command: string): unknown {
    const now = this.clock.now();
    if (command === 'TIME') return [String(Math.floor(now / 1000)), String(Math.floor(now % 1000) * 1000)];
    if (command === 'CLUSTER SLOTS') return this.slots();
    if (command === 'CLUSTER INFO') return 'cluster_state:ok';
    if (command === 'INFO server') return 'run_id:r\nuptime_in_seconds:100000';
    if (command === 'INFO replication') return `master_replid:a\nmaster_replid2:${'0'.repeat(40)}`;
    return 'OK';
  }
}
