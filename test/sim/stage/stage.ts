import type { GrantedHold } from '../../../lib/holds/granted-hold.js';
import type { Hold } from '../../../lib/holds/hold.js';
import type { Rng } from '../../chaos/rng.js';
import { watchTokens } from '../checks/order.js';
import { MinimumHolds } from '../checks/minimum-holds.js';
import { Sections } from '../checks/sections.js';
import { Waits } from '../checks/waits.js';
import { SimulatedProcess } from '../client/simulated-process.js';
import type { Simulation } from '../engine/simulation.js';
import { Delays } from '../network/delays.js';
import type { RealScripts } from '../server/real-scripts.js';
import { SimulatedCluster } from '../server/simulated-cluster.js';
import { type LockHome, SimulatedServer } from '../server/simulated-server.js';
import { Actor } from './actor.js';
import type { Profile } from './profile.js';

/** Share of time by which a clock may be too fast or too slow. */
export const DRIFT = 0.004;
/** Time that the library leaves to other processes before a waiter asks, beside the time of messages, ms. */
const TURNS_MS = 150;

const SAFETY_POLL_MS = 5000;
/** The approximate start of runs by the clocks of servers: some day in the future, ms since 1970. */
const EPOCH_MS = 2_000_000_000_000;

const MOST_SERVERS = 3;

const serverName = (index: number): string => `server-${index + 1}`;

/** The servers that a run may have. */
export const serverNames: readonly string[] = Array.from({ length: MOST_SERVERS }, (_, index) => serverName(index));

/** Servers and processes of a scenario. */
export interface Cast {
  readonly servers: number;
  readonly processes: number;
  /** Whether to check that no waiter sleeps beside something free. Default: yes. */
  readonly checksWakeUps?: boolean;
  /** Whether processes die by themselves, so that waiters are told late although nothing else goes wrong. Default: no. */
  readonly isTroubled?: boolean;
  /** Whether the servers are a cluster. Default: each is for itself. */
  readonly isCluster?: boolean;
}

/** The servers, the processes and the checks of one run. */
export class Stage {
  readonly rng: Rng;
  readonly sections: Sections;
  readonly waits: Waits;
  readonly minimums: MinimumHolds;
  readonly delays: Delays;
  readonly servers: readonly SimulatedServer[];
  readonly cluster: SimulatedCluster | undefined;
  private readonly real: RealScripts | undefined;
  readonly processes: SimulatedProcess[] = [];
  private actors = 0;

  constructor(
    readonly simulation: Simulation,
    readonly profile: Profile,
    { servers, processes, checksWakeUps = true, isTroubled = profile.name !== 'quiet', isCluster = false }: Cast,
    real?: RealScripts,
  ) {
    // Real servers run no cluster here, so a simulated cluster is not compared with them.
    this.real = isCluster ? undefined : real;
    this.rng = simulation.rng;
    this.delays = new Delays(this.rng, profile.delays);
    this.sections = new Sections(simulation);
    const { fairWaitTimeout, commandTimeout } = profile;
    const quiet = TURNS_MS + 12 * this.delays.longest;
    // A poll makes up for lost messages. A fair queue waits for a dead waiter for one slot.
    const troubled = 2 * SAFETY_POLL_MS + fairWaitTimeout + 10 * commandTimeout;
    const idle = isTroubled ? troubled : quiet;
    this.minimums = new MinimumHolds(simulation, profile);
    this.waits = new Waits(simulation, checksWakeUps ? idle : Number.POSITIVE_INFINITY);
    this.servers = Array.from({ length: servers }, (_, index) => this.startServer(serverName(index)));
    this.cluster = isCluster ? new SimulatedCluster(simulation, this.servers) : undefined;
    for (let index = 0; index < processes; index += 1) this.startProcess();
  }

  get server(): SimulatedServer {
    const [server] = this.servers;
    if (!server) throw new Error('There is no server');
    return server;
  }

  /** The home of locks that need no particular server. */
  get home(): LockHome {
    return this.cluster ?? this.server;
  }

  startProcess(): SimulatedProcess {
    const { delays, servers, profile, cluster } = this;
    const process = new SimulatedProcess(this.simulation, {
      name: `process-${this.processes.length + 1}`,
      rate: this.rate(),
      delays,
      servers,
      cluster,
      settings: {
        commandTimeout: profile.commandTimeout,
        watchdogTimeout: profile.watchdogTimeout,
        fairWaitTimeout: profile.fairWaitTimeout,
        safetyPoll: SAFETY_POLL_MS,
        ...(!profile.handover && { handover: false }),
      },
    });
    this.processes.push(process);
    return process;
  }

  /** Creates an actor in one of the processes, or in the one given. */
  actor(process = this.rng.pick(this.processes)): Actor {
    this.actors += 1;
    return new Actor(this, process, `actor-${this.actors}`);
  }

  /** A lease, or `undefined` if the watchdog keeps the hold. */
  lease(): number | undefined {
    return this.rng.chance(0.5) ? undefined : this.rng.pick([100, 300, 800, 2000, 60_000]);
  }

  wait(): number {
    return this.rng.pick([0, 30, 200, 1500, 20_000, 90_000]);
  }

  membersOf(hold: Hold): readonly Hold[] {
    return 'members' in hold ? (hold.members as readonly Hold[]) : [hold];
  }

  /** The server on which a member of several holds lives. */
  serverOf(hold: Hold, otherwise: LockHome): LockHome {
    if (this.cluster) return this.cluster;
    const { runtime } = (hold as GrantedHold).grant;
    for (const process of this.processes) {
      const index = process.runtimes.findIndex((each) => each === runtime);
      const server = this.servers[index];
      if (server) return server;
    }
    return otherwise;
  }

  private startServer(name: string): SimulatedServer {
    const offset = EPOCH_MS + this.rng.between(0, 100_000);
    const server = new SimulatedServer(this.simulation, name, this.rate(), offset, this.real);
    this.sections.watch(server);
    this.minimums.watch(server);
    watchTokens(this.simulation, server);
    return server;
  }

  private rate(): number {
    return 1 + this.rng.between(-DRIFT, DRIFT);
  }
}
