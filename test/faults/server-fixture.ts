import { once } from 'node:events';
import { runInThisContext } from 'node:vm';
import type { Redis } from 'ioredis';
import type { LockBackend } from '../../lib/backend/lock-backend.js';
import type { ConnectionInput } from '../../lib/backend/redis-target.js';
import { RedisBackend } from '../../lib/backend/redis-backend.js';
import { lockScripts } from '../../lib/backend/scripts/all-scripts.js';
import { RedisSubscriber } from '../../lib/backend/connection/redis-subscriber.js';
import { openTransport } from '../../lib/backend/transport.js';
import type { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { type Client, type ClientOptions, type ClientParts, openClient } from '../kit/client.js';
import { ServedScheduler } from '../kit/served-scheduler.js';
import { until } from '../kit/until.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';
import { FaultProxy } from '../servers/proxy/fault-proxy.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { hearLeakWarnings } from '../servers/process/leak-warnings.js';
import { History } from './history.js';
import { redisTarget, serverTarget } from '../../lib/backend/redis-target.js';

/** L of faults.md, ms: the lease of watchdog holds, and of other holds where a test asks for it. */
export const LEASE = 1500;
/** D: the longest time one command may take. */
export const DEADLINE = 200;
/**
 * For a request that the server has to execute, however long a busy machine takes for a new connection and for it. It is
 * also limited by half of its lease.
 */
export const SLOW = { commandTimeout: 2000, renewedLease: 60_000 } as const;
/** P: the safety poll of waiters. */
export const POLL = 1000;
/** B: the largest reconnect delay. */
export const RECONNECT = 1000;

export type ClientSetup = ClientOptions & ClientParts;

/** Opens a client whose times are those of faults.md. */
export const openLocks = (
  connection: ConnectionInput,
  { scheduler, backend, ...options }: ClientSetup = {},
): Client => {
  const timing = { renewedLease: LEASE, commandTimeout: DEADLINE, safetyPoll: POLL };
  return openClient({ connection, ...timing, ...options }, { scheduler, backend });
};

export interface ClientBehindProxy {
  readonly client: Client;
  readonly proxy: FaultProxy;
}

/** The real `process`, which reports unhandled errors. Jest gives tests a copy that reports none. */
const realProcess = runInThisContext('process') as NodeJS.Process;

/** A server for the tests of one file. It closes the clients of each test, and fails a test with an unhandled error. */
export class ServerFixture {
  private readonly closers: (() => Promise<void>)[] = [];
  private readonly clients: Client[] = [];
  private readonly unhandled: unknown[] = [];
  /** That of clients without another one. */
  private readonly scheduler = new ServedScheduler();
  readonly history = new History(this.scheduler.now);
  private readonly stopHearing: () => void;

  constructor(
    readonly server: RedisServer,
    /** A raw connection, for reading and changing keys. */
    readonly admin: Redis,
  ) {
    realProcess.on('unhandledRejection', this.onUnhandled);
    realProcess.on('uncaughtException', this.onUnhandled);
    this.stopHearing = hearLeakWarnings(this.onUnhandled);
  }

  static async start(args: readonly string[] = []): Promise<ServerFixture> {
    const server = await RedisServer.start({ args });
    const admin = connectAdmin(server.url);
    if (admin.status !== 'ready') await once(admin, 'ready');
    const fixture = new ServerFixture(server, admin);
    await fixture.loadScripts();
    return fixture;
  }

  /** Loads all scripts. A test of a server without scripts flushes them. */
  async loadScripts(): Promise<void> {
    await Promise.all(lockScripts.map(({ text }) => this.admin.script('LOAD', text)));
  }

  /** Opens a client of the server, or of a proxy in front of it. */
  open(connection: ConnectionInput = this.server.url, options?: ClientSetup): Client {
    const client = openLocks(connection, { scheduler: this.scheduler, ...options });
    this.clients.push(client);
    this.after(() => client.close(0));
    return client;
  }

  /** A client whose two connections take different routes, so that each has faults of its own. */
  openSplit(commands: string, subscriber: string, options?: ClientSetup): Client {
    const backend = (scheduler: MonotonicScheduler): LockBackend => {
      const transport = openTransport(redisTarget(commands), { commandTimeout: DEADLINE }, scheduler);
      const redis = new RedisBackend(transport, {}, scheduler);
      const pubSub = new RedisSubscriber(serverTarget(subscriber), DEADLINE, scheduler);
      const close = async (graceMs: number) => void (await Promise.all([redis.close(graceMs), pubSub.close()]));
      return Object.assign(Object.create(redis) as RedisBackend, { pubSub, open: () => redis.open(), close });
    };
    return this.open(commands, { ...options, backend });
  }

  async proxy(): Promise<FaultProxy> {
    const proxy = await FaultProxy.start(this.server);
    this.after(() => proxy.close());
    return proxy;
  }

  /** A client behind a proxy of its own, connected. */
  async openBehindProxy(options?: ClientSetup): Promise<ClientBehindProxy> {
    const proxy = await this.proxy();
    const client = this.open(proxy.url, options);
    await client.connected();
    return { client, proxy };
  }

  /**
   * Resolves when this many clients listen for releases of the lock. The first waiter of each has made its first attempt;
   * the one that follows once its client listens may still be on its way.
   */
  async listening(name: string, clients = 1): Promise<void> {
    const listeners = async () => Number((await this.admin.pubsub('NUMSUB', `redisson_lock__channel:{${name}}`))[1]);
    await until(async () => (await listeners()) === clients, 3000, `${clients} clients listen for ${name}`);
  }

  /** Registers a function to call after the test. The last one is called first. */
  after(close: () => Promise<void>): void {
    this.closers.push(close);
  }

  /** Closes the resources of the test. Fails if two owners held a lock at once or an error stayed unhandled. */
  async endTest(): Promise<void> {
    for (const close of this.closers.splice(0).toReversed()) await close();
    // Node reports rejections after the microtasks of the turn in which they stayed unhandled.
    await new Promise((resolve) => setImmediate(resolve));
    const events = this.clients.splice(0).flatMap((client) => client.events);
    const unexpected = events.flatMap((event) => (event.type === 'unexpected' ? [event.error] : []));
    const errors = [...this.unhandled.splice(0), ...unexpected];
    if (errors.length > 0) throw new AggregateError(errors, `Errors that reached nobody: ${errors.join('; ')}`);
    this.history.checkExclusion();
  }

  async end(): Promise<void> {
    realProcess.off('unhandledRejection', this.onUnhandled);
    realProcess.off('uncaughtException', this.onUnhandled);
    this.stopHearing();
    this.admin.disconnect();
    await this.server.stop();
    this.scheduler.stop();
  }

  private readonly onUnhandled = (error: unknown): void => void this.unhandled.push(error);
}

/** A fixture for all tests of a file. The server is empty before each test. */
export const useServerFixture = (args?: readonly string[]): (() => ServerFixture) => {
  let fixture: ServerFixture | undefined;
  const current = (): ServerFixture => {
    if (!fixture) throw new Error('The fixture is there while tests run');
    return fixture;
  };
  beforeAll(async () => {
    fixture = await ServerFixture.start(args);
  });
  beforeEach(async () => {
    await current().admin.flushall();
  });
  afterEach(() => current().endTest());
  afterAll(() => current().end());
  return current;
};
