import {
  type Address,
  type ClusterServers,
  clusterServers,
  hostOf,
  portOf,
} from '../../lib/backend/cluster/cluster-servers.js';
import {
  type Command,
  type DriverConnection,
  DriverError,
  type DriverListener,
} from '../../lib/backend/driver/redis-driver.js';
import { installedDriver } from '../../lib/backend/driver/drivers.js';
import type { AddressMap } from '../../lib/backend/driver/server-options.js';
import { hashSlot } from '../../lib/keys/hash-slot.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { type HeldBack, heldBack } from './scripted-nodes.js';

const SLOTS = 16_384;

/** An error reply of a server. */
export const replyError = (message: string): Error => new DriverError('refused', message);

/** Gives the reply of a server to a command. A thrown error is the server's error reply. */
type Answerer = () => unknown;

/** A promise that rejects requests under way when the connection is cut. Often there are none. */
const connectionCut = (): HeldBack<never> => {
  const cut = heldBack<never>();
  cut.promise.catch(() => {});
  return cut;
};

/** One connection to a scripted server. */
class ScriptedConnection implements DriverConnection {
  status: 'connecting' | 'ready' | 'end' = 'connecting';
  /** The purpose of the connection, once it has said its name. */
  role = '';
  private readonly cut = connectionCut();

  constructor(
    private readonly server: ScriptedServer,
    readonly listener: DriverListener,
    private readonly opened: HeldBack<DriverConnection>,
  ) {}

  becomeReady(): void {
    if (this.status !== 'connecting') return;
    this.status = 'ready';
    this.opened.resolve(this);
  }

  /** Cuts the connection, and rejects the requests under way on it. */
  drop(): void {
    const { status } = this;
    if (status === 'end') return;
    this.status = 'end';
    const cut = new DriverError('cut', 'cut');
    this.cut.reject(cut);
    if (status === 'ready') this.listener.onEnd(cut);
    else this.opened.reject(cut);
  }

  send([command, ...args]: Command): Promise<unknown> {
    if (command === 'CLIENT') {
      this.role = String(args[1]).replace(/^.*:/, '');
      return Promise.resolve('OK');
    }
    return this.ask(/^eval/i.test(command) ? command.toUpperCase() : [command, ...args].join(' '));
  }

  subscribe(channels: readonly string[], isSharded: boolean): Promise<unknown> {
    return this.ask(`${isSharded ? 'S' : ''}SUBSCRIBE ${channels.join(' ')}`);
  }

  unsubscribe(channels: readonly string[], isSharded: boolean): Promise<unknown> {
    return this.ask(`${isSharded ? 'S' : ''}UNSUBSCRIBE ${channels.join(' ')}`);
  }

  cork(): void {}

  uncork(): void {}

  end(): void {
    this.drop();
  }

  destroy(): void {
    this.drop();
  }

  private ask(command: string): Promise<unknown> {
    if (this.status !== 'ready') return Promise.reject(new DriverError('not-written', 'not ready'));
    return Promise.race([this.server.reply(command), this.cut.promise]);
  }
}

/** A server of a cluster. The test decides on its replies, and whether it can be reached. */
export class ScriptedServer {
  readonly connections: ScriptedConnection[] = [];
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
  open(role: 'commands' | 'subscriber'): ScriptedConnection[] {
    return this.connections.filter((connection) => connection.role === role && connection.status === 'ready');
  }

  connect(signal: AbortSignal, listener: DriverListener): Promise<DriverConnection> {
    const opened = heldBack<DriverConnection>();
    const connection = new ScriptedConnection(this, listener, opened);
    this.connections.push(connection);
    signal.addEventListener('abort', () => connection.drop());
    if (this.isUp) connection.becomeReady();
    return opened.promise;
  }

  /** Cuts every connection and refuses new ones. */
  fail(): void {
    this.isUp = false;
    for (const connection of this.connections) if (connection.status === 'ready') connection.drop();
  }

  comeBack(): void {
    this.isUp = true;
    for (const connection of this.connections) connection.becomeReady();
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
      ...clusterServers({ cluster, natMap }, installedDriver),
      connectionTo: (address) => ({
        options: { host: hostOf(address), port: portOf(address) },
        driver: {
          name: 'scripted',
          connect: (_server, { signal }, listener) => this.at(address).connect(signal, listener),
        },
      }),
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
