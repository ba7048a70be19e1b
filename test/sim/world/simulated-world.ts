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
import { type LockServer, SimulatedServer } from '../server/simulated-server.js';
import { Caller } from './caller.js';
import type { Profile } from './profile.js';

/** The largest share of time by which a clock is too fast or too slow. */
export const DRIFT = 0.004;
/** The longest time that a process yields to others before its waiter asks, without the time of messages, ms. */
const YIELD_MS = 150;

/** The approximate start of runs on the clocks of servers: a day in the future, ms since 1970. */
const EPOCH_MS = 2_000_000_000_000;

const MOST_SERVERS = 3;

const serverName = (index: number): string => `server-${index + 1}`;

/** The servers that a run may have. */
export const serverNames: readonly string[] = Array.from({ length: MOST_SERVERS }, (_, index) => serverName(index));

/** Servers and processes of a scenario. */
export interface Setup {
  readonly servers: number;
  readonly processes: number;
  /** Whether to check that no waiter sleeps while its request could be granted. Default: yes. */
  readonly checksWakeUps?: boolean;
  /** Whether waiters may be woken late, by deaths, cuts or slow messages. Default: unless the profile is quiet. */
  readonly hasLateWakeUps?: boolean;
  /** Whether the servers are a cluster. Default: no. */
  readonly isCluster?: boolean;
  /** Number of processes that never hand over, and so wait as clients of Redisson do. Default: 0. */
  readonly withoutHandOver?: number;
}

/** The servers, the processes and the checks of one run. */
export class SimulatedWorld {
  readonly rng: Rng;
  readonly sections: Sections;
  readonly waits: Waits;
  readonly minimums: MinimumHolds;
  readonly delays: Delays;
  readonly servers: readonly SimulatedServer[];
  readonly cluster: SimulatedCluster | undefined;
  private readonly real: RealScripts | undefined;
  readonly processes: SimulatedProcess[] = [];
  /** Number of processes, the first ones, that do not hand over although the others do. */
  readonly withoutHandOver: number;
  /** Milliseconds after which a waiter should have been woken. */
  readonly longestIdle: number;
  private callerCount = 0;

  constructor(
    readonly simulation: Simulation,
    readonly profile: Profile,
    setup: Setup,
    real?: RealScripts,
  ) {
    const { servers, processes, withoutHandOver = 0, isCluster = false } = setup;
    const { checksWakeUps = true, hasLateWakeUps = profile.name !== 'quiet' } = setup;
    // The real servers are not a cluster, so a simulated cluster is not compared with them.
    this.real = isCluster ? undefined : real;
    this.rng = simulation.rng;
    this.delays = new Delays(this.rng, profile.delays);
    this.sections = new Sections(simulation);
    const { fairWaitTimeout, commandTimeout, safetyPoll } = profile;
    const soon = YIELD_MS + 12 * this.delays.longest;
    // A poll makes up for lost messages. A fair queue waits for a dead waiter for one slot.
    const late = 2 * safetyPoll + fairWaitTimeout + 10 * commandTimeout;
    this.withoutHandOver = withoutHandOver;
    this.longestIdle = hasLateWakeUps ? late : soon;
    this.minimums = new MinimumHolds(simulation, profile);
    this.waits = new Waits(simulation, checksWakeUps ? this.longestIdle : Number.POSITIVE_INFINITY);
    this.servers = Array.from({ length: servers }, (_, index) => this.startServer(serverName(index)));
    this.cluster = isCluster ? new SimulatedCluster(simulation, this.servers) : undefined;
    for (let index = 0; index < processes; index += 1) {
      this.startProcess(profile.handover && index >= withoutHandOver);
    }
  }

  get server(): SimulatedServer {
    const [server] = this.servers;
    if (!server) throw new Error('There is no server');
    return server;
  }

  /** The server or cluster of locks that need no particular server. */
  get lockServer(): LockServer {
    return this.cluster ?? this.server;
  }

  startProcess(handsOver = this.profile.handover): SimulatedProcess {
    const { delays, servers, profile, cluster } = this;
    const process = new SimulatedProcess(this.simulation, {
      name: `process-${this.processes.length + 1}`,
      rate: this.rate(),
      delays,
      servers,
      cluster,
      settings: {
        commandTimeout: profile.commandTimeout,
        renewedLease: profile.renewedLease,
        fairWaitTimeout: profile.fairWaitTimeout,
        safetyPoll: profile.safetyPoll,
        ...(!handsOver && { handover: false }),
      },
    });
    this.processes.push(process);
    return process;
  }

  /** Creates a caller in one of the processes, or in the one given. */
  caller(process = this.rng.pick(this.processes)): Caller {
    this.callerCount += 1;
    return new Caller(this, process, `caller-${this.callerCount}`);
  }

  /** Draws a lease, or `undefined` if the watchdog is to renew the hold. */
  lease(): number | undefined {
    return this.rng.chance(0.5) ? undefined : this.rng.pick([100, 300, 800, 2000, 60_000]);
  }

  wait(): number {
    return this.rng.pick([0, 30, 200, 1500, 20_000, 90_000]);
  }

  membersOf(hold: Hold): readonly Hold[] {
    return 'members' in hold ? (hold.members as readonly Hold[]) : [hold];
  }

  /** The server that has the lock of a hold. */
  serverOf(hold: Hold, otherwise: LockServer): LockServer {
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
