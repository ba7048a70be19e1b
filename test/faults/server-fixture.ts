import { once } from 'node:events';
import { runInThisContext } from 'node:vm';
import { Redis } from 'ioredis';
import type { LockBackend } from '../../lib/backend/lock-backend.js';
import type { ConnectionInput } from '../../lib/backend/redis/connection/connection-input.js';
import { RedisBackend } from '../../lib/backend/redis/redis-backend.js';
import { scripts } from '../../lib/backend/redis/scripts/scripts.generated.js';
import { RedisSubscriber } from '../../lib/backend/redis/connection/redis-subscriber.js';
import { openTransport } from '../../lib/backend/redis/transport.js';
import { LockService } from '../../lib/lock.service.js';
import type { LockEvent } from '../../lib/events/lock-events.js';
import { parseModuleOptions, type RedisLockOptions } from '../../lib/module/options/redis-lock.options.js';
import { createRuntime, type OwnedRuntime } from '../../lib/module/runtime.factory.js';
import { type Scheduler, systemScheduler } from '../../lib/time/scheduler.js';
import type { MonotonicScheduler } from '../../lib/time/monotonic-scheduler.js';
import { FaultProxy } from '../servers/fault-proxy.js';
import { RedisServer } from '../servers/redis-server.js';
import { hearLeakWarnings } from '../servers/warnings.js';
import { History } from './history.js';
import { until } from './observe.js';

/** L of faults.md, ms: the lease of watchdog holds here, and what tests ask for. */
export const LEASE = 1500;
/** D: the longest time one command may take. */
export const DEADLINE = 200;
/** P: the safety poll of waiters. */
export const POLL = 1000;
/** B: the largest reconnect delay. */
export const RECONNECT = 1000;

export interface ClientOptions extends Omit<RedisLockOptions, 'connection' | 'backend'> {
  readonly scheduler?: Scheduler;
  readonly backend?: (scheduler: MonotonicScheduler) => LockBackend;
}

/** Resolves when commands can be sent, however long a busy machine takes for that. */
export const untilConnected = (locks: LockService): Promise<void> => {
  const answered = () =>
    locks
      .getLock('warm-up')
      .isLocked()
      .then(
        () => true,
        () => false,
      );
  return until(answered, 2000, 'the client is connected');
};

/** What one process has: a runtime on connections of its own, and the service on top. */
export class Client {
  readonly events: LockEvent[] = [];
  readonly locks: LockService;

  constructor(readonly runtime: OwnedRuntime) {
    this.locks = new LockService(runtime);
    runtime.events.on((event) => this.events.push(event));
  }

  connected(): Promise<void> {
    return untilConnected(this.locks);
  }

  /** Ends everything, as the end of an application does. */
  async close(): Promise<void> {
    this.runtime.shutdownController.abort(new Error('the test is over'));
    this.runtime.watchdog.stop();
    await this.runtime.backend.close(0);
  }
}

export const openLocks = (connection: ConnectionInput, options: ClientOptions = {}): Client => {
  const { scheduler = systemScheduler, backend, ...given } = options;
  const timing = { watchdogTimeout: LEASE, commandTimeout: DEADLINE, safetyPoll: POLL };
  const settings = parseModuleOptions({ connection, ...timing, ...given });
  return new Client(createRuntime(settings, scheduler, backend));
};

export interface ClientBehindProxy {
  readonly client: Client;
  readonly proxy: FaultProxy;
}

/** Errors that reach nobody. Jest gives tests a copy of `process` that never emits; this is the real one. */
const realProcess = runInThisContext('process') as NodeJS.Process;

/** One server of its own for the tests of a file; what they open is closed, and what they left unhandled fails them. */
export class Bench {
  readonly history = new History();
  private readonly closers: (() => Promise<void>)[] = [];
  private readonly clients: Client[] = [];
  private readonly unhandled: unknown[] = [];
  private readonly stopHearing: () => void;

  constructor(
    readonly server: RedisServer,
    /** A raw connection that sees and does what it likes. */
    readonly admin: Redis,
  ) {
    realProcess.on('unhandledRejection', this.onUnhandled);
    realProcess.on('uncaughtException', this.onUnhandled);
    this.stopHearing = hearLeakWarnings(this.onUnhandled);
  }

  static async start(args: readonly string[] = []): Promise<Bench> {
    const server = await RedisServer.start({ args });
    const admin = new Redis(server.url).on('error', () => {});
    if (admin.status !== 'ready') await once(admin, 'ready');
    const bench = new Bench(server, admin);
    await bench.loadScripts();
    return bench;
  }

  /** A server is without our scripts only before the first call of each; a test that means that case flushes them. */
  async loadScripts(): Promise<void> {
    const texts = Object.values(scripts).flatMap((kind) => Object.values(kind).map(({ text }) => text));
    await Promise.all(texts.map((text) => this.admin.script('LOAD', text)));
  }

  /** A client of the server, or of what stands before it. */
  open(connection: ConnectionInput = this.server.url, options?: ClientOptions): Client {
    const client = openLocks(connection, options);
    this.clients.push(client);
    this.after(() => client.close());
    return client;
  }

  /** A client whose two connections go different ways, so that each has faults of its own. */
  openSplit(commands: string, subscriber: string, options?: ClientOptions): Client {
    const backend = (scheduler: MonotonicScheduler): LockBackend => {
      const transport = openTransport(commands, { commandTimeout: DEADLINE }, scheduler);
      const redis = new RedisBackend(transport, {}, scheduler);
      const pubSub = new RedisSubscriber(subscriber, DEADLINE, scheduler);
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
  async openBehindProxy(options?: ClientOptions): Promise<ClientBehindProxy> {
    const proxy = await this.proxy();
    const client = this.open(proxy.url, options);
    await client.connected();
    return { client, proxy };
  }

  /** Resolves when as many clients listen for releases of the lock: their first in line has tried, and sleeps. */
  async listening(name: string, clients = 1): Promise<void> {
    const listeners = async () => Number((await this.admin.pubsub('NUMSUB', `redisson_lock__channel:{${name}}`))[1]);
    await until(async () => (await listeners()) === clients, 3000, `${clients} clients listen for ${name}`);
  }

  /** To be done after the test, last come first. */
  after(close: () => Promise<void>): void {
    this.closers.push(close);
  }

  /** Closes what the test opened and fails if exclusion was broken or an error reached nobody. */
  async endTest(): Promise<void> {
    for (const close of this.closers.splice(0).toReversed()) await close();
    // Rejections are reported after the microtasks of the turn in which they stayed unhandled.
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
  }

  private readonly onUnhandled = (error: unknown): void => void this.unhandled.push(error);
}

/** A bench for all tests of a file, empty before each. */
export const useBench = (args?: readonly string[]): (() => Bench) => {
  let bench: Bench | undefined;
  const current = (): Bench => {
    if (!bench) throw new Error('The bench is there while tests run');
    return bench;
  };
  beforeAll(async () => {
    bench = await Bench.start(args);
  });
  beforeEach(async () => {
    await current().admin.flushall();
  });
  afterEach(() => current().endTest());
  afterAll(() => current().end());
  return current;
};
