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
    private readonly leader: AnnouncedServer,
    private readonly followers: Follower[],
    private readonly args: readonly string[],
  ) {}

  /** Resolves when every replica is in step. */
  static async start({ replicas = 1, args = [] }: ReplicationOptions = {}): Promise<Replication> {
    const settings = [...REPLICATION_SETTINGS, ...args];
    const leader = await AnnouncedServer.start({ args: settings });
    try {
      const starting = Array.from({ length: replicas }, () => Follower.start(leader.server, settings));
      return new Replication(leader, await allStarted(starting), settings);
    } catch (error) {
      await leader.stop();
      throw error;
    }
  }

  /** The master as it was at the start. */
  get master(): RedisServer {
    return this.leader.server;
  }

  get replicas(): readonly RedisServer[] {
    return this.followers.map(({ seat }) => seat.server);
  }

  /** A connection of the test's own. */
  admin(server: RedisServer): Redis {
    return server === this.master ? this.leader.admin : this.followerOf(server).seat.admin;
  }

  /** The proxy between a replica and the master. */
  link(replica: RedisServer): FaultProxy {
    return this.followerOf(replica).link;
  }

  /** Resolves when the new replica is in step. */
  async addReplica(): Promise<RedisServer> {
    const follower = await Follower.start(this.master, this.args);
    this.followers.push(follower);
    return follower.seat.server;
  }

  /** Resolves when every replica has all that the master has now. */
  async caughtUp(): Promise<void> {
    const offset = await offsetOf(this.leader.admin);
    await untilAgreed(async () => {
      const offsets = await Promise.all(this.followers.map(({ seat }) => offsetOf(seat.admin)));
      return offsets.every((reached) => reached >= offset);
    }, 'all replicas have what the master has');
  }

  /** Makes the replica a master with the data that it has. The old master is not told. */
  async promote(replica: RedisServer): Promise<void> {
    await this.admin(replica).call('REPLICAOF', 'NO', 'ONE');
  }

  async stop(): Promise<void> {
    await Promise.all([this.leader, ...this.followers].map((each) => each.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private followerOf(server: RedisServer): Follower {
    const follower = this.followers.find(({ seat }) => seat.server === server);
    if (follower === undefined) throw new Error(`The server on port ${server.port} is none of the replicas`);
    return follower;
  }
}

/** A replica, and the proxy between it and its master. */
class Follower {
  private constructor(
    readonly seat: AnnouncedServer,
    readonly link: FaultProxy,
  ) {}

  static async start(master: RedisServer, args: readonly string[]): Promise<Follower> {
    const link = await FaultProxy.start(master);
    try {
      const replicaOf = ['--replicaof', link.host, String(link.port)];
      const follower = new Follower(await AnnouncedServer.start({ args: [...args, ...replicaOf] }), link);
      await follower.arrived();
      return follower;
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.seat.stop();
    await this.link.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private async arrived(): Promise<void> {
    try {
      await untilAgreed(() => isInStep(this.seat.admin), 'the replica is in step');
    } catch (error) {
      await this.seat.stop();
      throw error;
    }
  }
}

const offsetOf = async (admin: Redis): Promise<number> => {
  const replication = await admin.info('replication');
  // The offset of a master, or the offset that a replica has reached.
  const offset = /^master_repl_offset:(\d+)/m.exec(replication)?.[1];
  if (offset === undefined) throw new Error(`No offset in:\n${replication}`);
  return Number(offset);
};
