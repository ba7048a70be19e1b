import type { Redis } from 'ioredis';
import { allStarted } from '../process/all-started.js';
import { AnnouncedServer } from '../redis/announced-server.js';
import { FaultProxy } from '../proxy/fault-proxy.js';
import type { RedisServer } from '../redis/redis-server.js';
import { isInStep, REPLICATION_SETTINGS } from './replica.js';
import { untilAgreed } from './until-agreed.js';

export interface ReplicationOptions {
  /** Default: 1. */
  readonly replicas?: number;
  /** Further settings of every server. */
  readonly args?: readonly string[];
}

/**
 * A master and its replicas, with a proxy between each replica and the master. Only the test puts another server in the
 * master's place.
 */
export class Replication {
  private constructor(
    private readonly masterNode: AnnouncedServer,
    private readonly linkedReplicas: LinkedReplica[],
    private readonly args: readonly string[],
  ) {}

  /** Resolves when every replica is in step. */
  static async start({ replicas = 1, args = [] }: ReplicationOptions = {}): Promise<Replication> {
    const settings = [...REPLICATION_SETTINGS, ...args];
    const masterNode = await AnnouncedServer.start({ args: settings });
    try {
      const starting = Array.from({ length: replicas }, () => LinkedReplica.start(masterNode.server, settings));
      return new Replication(masterNode, await allStarted(starting), settings);
    } catch (error) {
      await masterNode.stop();
      throw error;
    }
  }

  /** The master as it was at the start. */
  get master(): RedisServer {
    return this.masterNode.server;
  }

  get replicas(): readonly RedisServer[] {
    return this.linkedReplicas.map(({ node }) => node.server);
  }

  /** A connection of the test's own. */
  admin(server: RedisServer): Redis {
    return server === this.master ? this.masterNode.admin : this.linkedReplicaOf(server).node.admin;
  }

  /** The proxy between a replica and the master. */
  link(replica: RedisServer): FaultProxy {
    return this.linkedReplicaOf(replica).link;
  }

  /** Resolves when the new replica is in step. */
  async addReplica(): Promise<RedisServer> {
    const linked = await LinkedReplica.start(this.master, this.args);
    this.linkedReplicas.push(linked);
    return linked.node.server;
  }

  /** Resolves when every replica has all data that the master has now. */
  async caughtUp(): Promise<void> {
    const offset = await offsetOf(this.masterNode.admin);
    await untilAgreed(async () => {
      const offsets = await Promise.all(this.linkedReplicas.map(({ node }) => offsetOf(node.admin)));
      return offsets.every((reached) => reached >= offset);
    }, 'all replicas have what the master has');
  }

  /** Makes the replica a master with the data that it has. The old master is not told. */
  async promote(replica: RedisServer): Promise<void> {
    await this.admin(replica).call('REPLICAOF', 'NO', 'ONE');
  }

  async stop(): Promise<void> {
    await Promise.all([this.masterNode, ...this.linkedReplicas].map((each) => each.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private linkedReplicaOf(server: RedisServer): LinkedReplica {
    const linked = this.linkedReplicas.find(({ node }) => node.server === server);
    if (linked === undefined) throw new Error(`The server on port ${server.port} is none of the replicas`);
    return linked;
  }
}

/** A replica, and the proxy between it and its master. */
class LinkedReplica {
  private constructor(
    readonly node: AnnouncedServer,
    readonly link: FaultProxy,
  ) {}

  static async start(master: RedisServer, args: readonly string[]): Promise<LinkedReplica> {
    const link = await FaultProxy.start(master);
    try {
      const replicaOf = ['--replicaof', link.host, String(link.port)];
      const linked = new LinkedReplica(await AnnouncedServer.start({ args: [...args, ...replicaOf] }), link);
      await linked.arrived();
      return linked;
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.node.stop();
    await this.link.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private async arrived(): Promise<void> {
    try {
      await untilAgreed(() => isInStep(this.node.admin), 'the replica is in step');
    } catch (error) {
      await this.node.stop();
      throw error;
    }
  }
}

/** The offset of a master, or the offset that a replica has reached. */
export const offsetOf = async (admin: Redis): Promise<number> => {
  const replication = await admin.info('replication');
  const offset = /^master_repl_offset:(\d+)/m.exec(replication)?.[1];
  if (offset === undefined) throw new Error(`No offset in:\n${replication}`);
  return Number(offset);
};
