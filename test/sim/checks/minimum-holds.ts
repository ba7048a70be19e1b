import type { GrantedHold } from '../../../lib/holds/granted-hold.js';
import type { Hold } from '../../../lib/holds/hold.js';
import type { Simulation } from '../engine/simulation.js';
import type { SimulatedServer } from '../server/simulated-server.js';
import type { Profile } from '../world/profile.js';
import type { SimulatedProcess } from '../client/simulated-process.js';

interface Minimum {
  readonly who: string;
  readonly process: SimulatedProcess;
  readonly hold: Hold;
  /** An instant of true time, ms. */
  readonly until: number;
  readonly stalledBefore: number;
}

/** Tolerance, because clocks drift and the holder learns of the grant after it was made, ms. */
const GRAIN_MS = 60;
/** The least ratio of a lease to the time-out of a command that leaves time for repetitions. */
const LEAST_LEASE_RATIO = 6;

/** A caller that holds a lock for a minimum time. */
interface Holder {
  readonly name: string;
  readonly process: SimulatedProcess;
}

/** Checks that no other owner gets a lock before its minimum hold time is over, however soon its holder leaves. */
export class MinimumHolds {
  private readonly minimums: Minimum[] = [];

  constructor(
    private readonly simulation: Simulation,
    private readonly profile: Profile,
  ) {}

  watch(server: SimulatedServer): void {
    server.onExecuted(({ script, keys, args, reply }) => {
      const isGrant = /\/(acquire|queue)$/.test(script) && (reply[0] === 'acquired' || typeof reply[0] === 'number');
      if (isGrant) this.granted(String(keys['lock']), String(args['owner']));
      if (script.endsWith('force-release')) this.forget(String(keys['lock']));
    });
  }

  /** Keeps the hold for at least `ms` from now. */
  keep({ name: who, process }: Holder, hold: Hold, ms: number): void {
    const granted = hold as GrantedHold;
    granted.holdAtLeast(ms);
    const { renewedLease, commandTimeout } = this.profile;
    // Any hold ends if its server cannot be reached for longer than the lease, which the caller may have made shorter.
    const lease = Math.min(renewedLease, granted.grant.lease.remainingOnServer + GRAIN_MS);
    if (lease < LEAST_LEASE_RATIO * commandTimeout) return;
    const { stalledFor } = process;
    this.minimums.push({ who, process, hold, until: this.simulation.now + ms, stalledBefore: stalledFor });
  }

  private forget(lock: string): void {
    const kept = this.minimums.filter(({ hold }) => hold.name !== lock);
    this.minimums.splice(0, this.minimums.length, ...kept);
  }

  private granted(lock: string, owner: string): void {
    const { now } = this.simulation;
    for (const { who, process, hold, until, stalledBefore } of this.minimums) {
      const isOver = !process.isAlive || process.stalledFor > stalledBefore || hold.signal.aborted;
      if (hold.name !== lock || isOver) continue;
      if (owner === hold.owner || now > until - GRAIN_MS) continue;
      const early = (until - now).toFixed(1);
      this.simulation.violate('held at least', `${lock} went to ${owner} ${early} ms before ${who} let it go`);
    }
  }
}
