import type { LockBackend } from '../../../lib/backend/lock-backend.js';
import { ClusterExecutor } from '../../../lib/backend/cluster/cluster-executor.js';
import { RedisBackend } from '../../../lib/backend/redis-backend.js';
import { clientIdOf } from '../../../lib/context/owner-ids.js';
import { LockShutdownError } from '../../../lib/errors.js';
import { LockService } from '../../../lib/lock.service.js';
import { ConnectionRegistry } from '../../../lib/runtime/connection-registry.js';
import { DEFAULT_CONNECTION_NAME } from '../../../lib/locks/options/connection-choice.js';
import { parseModuleOptions, type RedisLockOptions } from '../../../lib/module/options/redis-lock.options.js';
import { createRuntime, type OwnedRuntime } from '../../../lib/module/runtime.factory.js';
import type { MonotonicScheduler } from '../../../lib/time/scheduler.js';
import { defaultRelease } from '../../kit/default-release.js';
import type { SimulatedEvent } from '../engine/event-queue.js';
import { ProcessClock } from '../engine/process-clock.js';
import type { Simulation } from '../engine/simulation.js';
import { type ConnectionEnd, SimulatedConnection } from '../network/connection.js';
import type { Delays } from '../network/delays.js';
import type { SimulatedCluster } from '../server/simulated-cluster.js';
import type { SimulatedServer } from '../server/simulated-server.js';
import { SimulatedCommands } from './simulated-commands.js';
import { SimulatedSubscriber } from './simulated-subscriber.js';
import { simulatedTopology } from './simulated-topology.js';

/** The longest time by which a timer is late, ms. */
const LATEST_TIMER_MS = 1.5;
/** Milliseconds in which the library may end its background work. */
const CLOSE_MS = 1000;

export interface ProcessOptions {
  readonly name: string;
  /** Milliseconds of its clock for each millisecond of true time. */
  readonly rate: number;
  readonly delays: Delays;
  /** Servers, each with a connection of the module. The first is the default connection. */
  readonly servers: readonly SimulatedServer[];
  /** The cluster of these servers, which replaces the connections to each of them. */
  readonly cluster?: SimulatedCluster | undefined;
  readonly settings: RedisLockOptions & { readonly commandTimeout: number };
}

/** A process of an application: the real library on a simulated clock and simulated connections. */
export class SimulatedProcess {
  readonly clock: ProcessClock;
  readonly locks: LockService;
  readonly runtimes: readonly OwnedRuntime[];
  isAlive = true;
  /** The client ids of its connections, as far as it has asked for locks. */
  readonly clientIds = new Set<string>();
  /** The last instant of true time at which a server answered it. */
  lastAnswerAt = 0;
  /** Milliseconds of true time for which it has been stalled so far. */
  stalledFor = 0;
  /** The end of its last suspension, an instant of true time; `-Infinity`: it was never suspended. */
  resumedAt = Number.NEGATIVE_INFINITY;
  /** Milliseconds for which a request's connection is down, from when the request is on its way; 0: it is not cut. */
  cutAt: (what: string) => number = () => 0;
  private stalledUntil = 0;
  private readonly connections: SimulatedConnection[] = [];
  private readonly subscribers: SimulatedSubscriber[] = [];

  constructor(
    readonly simulation: Simulation,
    private readonly options: ProcessOptions,
  ) {
    this.clock = new ProcessClock(this, options.rate);
    const { cluster, servers } = options;
    this.runtimes = cluster
      ? [this.open((scheduler) => this.connectToCluster(cluster, scheduler))]
      : servers.map((server) => this.open((scheduler) => this.connect(server, scheduler)));
    const [base] = this.runtimes;
    if (!base) throw new Error('A process needs a server');
    const named = options.servers
      .slice(0, this.runtimes.length)
      .map(({ name }, index) => [index === 0 ? DEFAULT_CONNECTION_NAME : name, this.runtimes[index] ?? base] as const);
    this.locks = new LockService(base, new ConnectionRegistry<OwnedRuntime>(base, new Map(named)));
  }

  get name(): string {
    return this.options.name;
  }

  get trueNow(): number {
    return this.simulation.now;
  }

  get isStalled(): boolean {
    return this.stalledUntil > this.simulation.now;
  }

  lateness(): number {
    return this.simulation.rng.between(0, LATEST_TIMER_MS);
  }

  enqueue(at: number, run: () => void): SimulatedEvent {
    const event: SimulatedEvent = this.simulation.at(at, () => this.runOrDefer(() => event.cancelled || run()));
    return event;
  }

  /** Runs an action of a caller in this process `ms` from now, or a little sooner. */
  act(ms: number, run: () => void): void {
    this.simulation.act(this, this.simulation.now + ms, () => this.runOrDefer(run));
  }

  /** Resolves `ms` of true time from now. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.enqueue(this.simulation.now + ms, resolve));
  }

  note(what: () => string): void {
    this.simulation.note(this.name, what);
  }

  /** Stops the process for `ms`, after which everything that was due runs. */
  stall(ms: number): void {
    if (!this.isAlive) return;
    this.note(() => `stands still for ${Math.round(ms)} ms`);
    const until = this.simulation.now + ms;
    this.stalledFor += Math.max(0, until - Math.max(this.stalledUntil, this.simulation.now));
    this.stalledUntil = Math.max(this.stalledUntil, until);
  }

  /** Suspends its machine for `ms`: it stands still, and so does its monotonic clock, while the wall clock goes on. */
  suspend(ms: number): void {
    if (!this.isAlive) return;
    this.note(() => 'is suspended');
    this.clock.suspend(this.simulation.now + ms);
    this.resumedAt = this.simulation.now + ms;
    this.stall(ms);
  }

  /** Ends the process, so that it runs nothing any more. */
  kill(): void {
    this.note(() => 'dies');
    this.isAlive = false;
    for (const connection of this.connections) connection.abandon();
    for (const subscriber of this.subscribers) subscriber.gone();
  }

  /** Breaks one of its connections for a while. */
  cutOne(downFor: number): void {
    if (!this.isAlive) return;
    this.note(() => `loses a connection for ${Math.round(downFor)} ms`);
    const { rng } = this.simulation;
    this.enqueue(this.simulation.now, () => rng.pick(this.connections).cut(downFor));
  }

  /** Shuts down as the module does at the end of an application. */
  async close(): Promise<void> {
    for (const { shutdownController, watchdog } of this.runtimes) {
      shutdownController.abort(new LockShutdownError('The application ends'));
      watchdog.stop();
    }
    await Promise.all(this.runtimes.map((runtime) => runtime.close(CLOSE_MS)));
  }

  private runOrDefer(run: () => void): void {
    if (!this.isAlive) return;
    if (this.isStalled) {
      this.simulation.at(this.stalledUntil, () => this.runOrDefer(run));
      return;
    }
    this.simulation.ranCodeOf(this);
    run();
  }

  private open(connect: (scheduler: MonotonicScheduler) => LockBackend): OwnedRuntime {
    const { settings } = this.options;
    const parsed = parseModuleOptions({ ...defaultRelease, ...settings, connection: 'memory' });
    const runtime = createRuntime(parsed, this.clock, (_, scheduler) => connect(scheduler));
    runtime.events.on((event) => {
      this.note(() => `event ${describeEvent(event)}`);
      if (event.type === 'unexpected') this.simulation.violate('nothing unexpected', String(event.error));
    });
    runtime.open();
    return runtime;
  }

  private connect(server: SimulatedServer, scheduler: MonotonicScheduler): LockBackend {
    const commands = this.commandsTo(server, scheduler);
    const pubSub = this.listenTo(server, scheduler);
    return new RedisBackend({ commands, pubSub, check: async () => [], close: () => commands.close() }, {}, scheduler);
  }

  private connectToCluster(cluster: SimulatedCluster, scheduler: MonotonicScheduler): LockBackend {
    const { commandTimeout } = this.options.settings;
    const nodes = new Map(cluster.servers.map((server) => [server.name, this.commandsTo(server, scheduler)]));
    const commands = new ClusterExecutor(simulatedTopology(cluster, nodes), commandTimeout, scheduler);
    const [first] = cluster.servers;
    if (!first) throw new Error('A cluster has servers');
    const pubSub = this.listenTo(first, scheduler);
    return new RedisBackend({ commands, pubSub, check: async () => [], close: () => commands.close() }, {}, scheduler);
  }

  private commandsTo(server: SimulatedServer, scheduler: MonotonicScheduler): SimulatedCommands {
    const connection = this.connection(
      server.forScripts,
      () => commands.reconnected(),
      () => {},
    );
    const { commandTimeout } = this.options.settings;
    const onOwner = (owner: string): void => void this.clientIds.add(clientIdOf(owner));
    const commands: SimulatedCommands = new SimulatedCommands(connection, server, scheduler, commandTimeout, onOwner);
    return commands;
  }

  private listenTo(server: SimulatedServer, scheduler: MonotonicScheduler): SimulatedSubscriber {
    const connection = this.connection(
      server,
      () => void pubSub.reconnected(),
      () => pubSub.disconnected(),
    );
    const { commandTimeout } = this.options.settings;
    const pubSub: SimulatedSubscriber = new SimulatedSubscriber(connection, server.store, scheduler, commandTimeout);
    this.subscribers.push(pubSub);
    return pubSub;
  }

  private connection(server: ConnectionEnd, onReady: () => void, onBroken: () => void): SimulatedConnection {
    const { simulation, options } = this;
    const onAnswer = (): void => {
      this.lastAnswerAt = simulation.now;
    };
    const onRequest = (what: string): void => {
      const downFor = this.cutAt(what);
      if (downFor > 0) this.enqueue(simulation.now, () => connection.cut(downFor));
    };
    const listener = { onReady, onBroken, onAnswer, onRequest };
    const connection = new SimulatedConnection(simulation, this, server, options.delays, listener);
    this.connections.push(connection);
    return connection;
  }
}

const describeEvent = (event: object): string =>
  Object.entries(event)
    .map(([key, value]) => (key === 'type' ? String(value) : `${key}=${String(value)}`))
    .join(' ');
