import type { Redis } from 'ioredis';
import { isPassing } from '../../lib/errors.js';
import type { RedLockOptions } from '../../lib/module/options/red-lock.options.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';
import { FaultProxy } from '../servers/proxy/fault-proxy.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { Client, type ClientOptions, Clients, openClient } from './client.js';
import { ServedScheduler } from './served-scheduler.js';
import { Time } from './time.js';

/** One of the independent masters, behind a network that can fail. */
class Master {
  private constructor(
    readonly server: RedisServer,
    readonly proxy: FaultProxy,
    readonly admin: Redis,
  ) {}

  static async start(): Promise<Master> {
    const server = await RedisServer.start();
    return new Master(server, await FaultProxy.start(server), connectAdmin(server.url));
  }

  /** The owner of the lock on this master. */
  async holder(name: string): Promise<string | undefined> {
    return (await this.admin.hkeys(name))[0];
  }

  async put(name: string, owner: string, ttl: number): Promise<void> {
    await this.admin.multi().del(name).hset(name, owner, 1).pexpire(name, ttl).exec();
  }

  async reset(): Promise<void> {
    this.proxy.heal();
    if (this.server.isRunning) this.server.resume();
    else await this.server.restart();
    await this.admin.flushall();
  }

  async stop(): Promise<void> {
    this.admin.disconnect();
    await this.proxy.close();
    await this.server.stop();
  }
}

export interface RedlockClientOptions extends Omit<ClientOptions, 'redLock'> {
  readonly redLock?: Omit<RedLockOptions, 'nodes'>;
}

/** Independent masters, each behind a proxy of its own, and clients of all of them. */
export class RedlockWorld {
  readonly time = Time.real();
  readonly masters: Master[] = [];
  private scheduler: ServedScheduler | undefined;
  private readonly clients = new Clients();
  private readonly closers: (() => Promise<unknown>)[] = [];

  constructor(readonly size: number) {}

  async start(): Promise<void> {
    this.scheduler = new ServedScheduler();
    this.masters.push(...(await Promise.all(Array.from({ length: this.size }, () => Master.start()))));
  }

  /** The masters with these indexes. */
  at(...places: number[]): Master[] {
    return places.flatMap((place) => this.masters[place] ?? []);
  }

  /** A client whose connection to each master can be cut. It has connected to all of them. */
  open(options?: RedlockClientOptions): Promise<Client> {
    const urls = this.masters.map(({ proxy }) => proxy.url);
    return this.openAt(urls, options);
  }

  /** A client at its own distance from each master: every byte to and from a master takes `delayOf` ms. */
  async openFar(delayOf: (master: number) => number): Promise<Client> {
    const proxies = await Promise.all(this.masters.map(({ server }) => FaultProxy.start(server)));
    this.onReset(() => Promise.all(proxies.map((proxy) => proxy.close())));
    proxies.forEach((proxy, master) => proxy.delay(delayOf(master)));
    return this.openAt(proxies.map(({ url }) => url));
  }

  private async openAt(urls: readonly string[], { redLock, ...options }: RedlockClientOptions = {}): Promise<Client> {
    const [connection = ''] = urls;
    const { scheduler } = this;
    const client = this.clients.add(
      openClient({ ...options, connection, redLock: { ...redLock, nodes: urls } }, { scheduler }),
    );
    // Waits until all nodes are connected, because a node that a busy machine connects late has no vote.
    await this.time.until(async () => {
      try {
        const hold = await client.locks.getRedLock('connecting').acquire();
        const everywhere = (await this.holders('connecting')).every((owner) => owner === hold.owner);
        await hold.release();
        return everywhere;
      } catch (error) {
        if (isPassing(error)) return false;
        throw error;
      }
    }, 5000);
    return client;
  }

  /** The owner of the lock on each master. */
  holders(name: string): Promise<(string | undefined)[]> {
    return Promise.all(this.masters.map((master) => master.holder(name)));
  }

  ttls(name: string): Promise<number[]> {
    return Promise.all(this.masters.map(({ admin }) => admin.pttl(name)));
  }

  /** Resolves when the lease was renewed once more on every master. */
  renewed(name: string): Promise<void> {
    return this.time.renewed(() => this.ttls(name));
  }

  /** Resolves when the lock is free on every master. */
  async free(name: string, within = 2000): Promise<void> {
    await this.time.until(async () => (await this.holders(name)).every((owner) => owner === undefined), within);
  }

  /** Registers a function to call when the world is reset, for resources of a test other than clients. */
  onReset(close: () => Promise<unknown>): void {
    this.closers.push(close);
  }

  async reset(): Promise<void> {
    await Promise.all(this.closers.splice(0).map((close) => close()));
    for (const { proxy } of this.masters) proxy.heal();
    await this.clients.close();
    await Promise.all(this.masters.map((master) => master.reset()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.masters.map((master) => master.stop()));
    this.scheduler?.stop();
  }
}

/** Runs the tests of `suite` on `size` independent masters. */
export const onMasters = (size: number, suite: (world: RedlockWorld) => void): void => {
  const world = new RedlockWorld(size);
  describe(`on ${size} independent masters`, () => {
    beforeAll(() => world.start());
    afterEach(() => world.reset());
    afterAll(() => world.stop());
    suite(world);
  });
};
