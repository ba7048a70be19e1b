import { clientIdOf } from '../../../lib/context/owner-ids.js';
import type { OwnerId } from '../../../lib/context/owner-ids.js';
import { clientChannel, clientsChannel, lockChannel } from '../../../lib/keys/redisson-keys.js';
import type { SimulatedProcess } from '../client/simulated-process.js';
import type { Execution, SimulatedServer } from '../server/simulated-server.js';
import type { SimulatedWorld } from '../world/simulated-world.js';

/** The first lease of a grant, in command time-outs. */
const FIRST_LEASE_TIMEOUTS = 3;
/** The age up to which an entry is given its whole lease, ms. */
const FRESH_MS = 100;

/** The longest time in which a process learns that it is the owner, or releases, whatever fails. */
const OUTAGE_MS = 1000;
const OUTAGE_TIMEOUTS = 8;

interface UnknownOwner {
  readonly owner: OwnerId;
  /** An instant of true time, ms. */
  readonly since: number;
}

/**
 * Checks how a plain lock passes from client to client. It goes to the client that has waited longest, of those that
 * listen, for a short first lease unless that has just come; it becomes free if others listen; an owner that has released does not come back; and
 * no living process is an owner unknowingly, for longer than a message and a request take.
 */
export class Grants {
  private unknown: UnknownOwner | undefined;
  /** Owners that have released. */
  private readonly ended = new Set<OwnerId>();
  /** When entries were added, ms on the server's clock. */
  private readonly arrivals = new Map<OwnerId, number>();
  /** Milliseconds for which a process may be the owner unknowingly. */
  private readonly longestUnknown: number;

  constructor(
    private readonly world: SimulatedWorld,
    private readonly server: SimulatedServer,
    private readonly name: string,
  ) {
    const { profile, longestIdle } = world;
    this.longestUnknown = Math.min(longestIdle, OUTAGE_MS + OUTAGE_TIMEOUTS * profile.commandTimeout);
    server.onExecuted((execution) => this.checkExecution(execution));
    world.simulation.checks.push(() => this.checkOwner());
  }

  /** Whether a process waits on the server, or has the lock, so that its waiters get their turn. */
  isInLine({ clientIds }: SimulatedProcess): boolean {
    const { server, name } = this;
    return [server.stored.holderOf(name) ?? '', ...server.stored.waitingFor(name)].some((owner) =>
      clientIds.has(clientIdOf(owner)),
    );
  }

  private checkExecution({ script, keys, args, reply, waitingBefore }: Execution): void {
    if (keys['lock'] !== this.name) return;
    const { store } = this.server;
    for (const owner of this.server.stored.waitingFor(this.name)) {
      if (!this.arrivals.has(owner)) this.arrivals.set(owner, store.now());
    }
    const holder = this.server.stored.holderOf(this.name);
    const back = [holder ?? '', ...this.server.stored.waitingFor(this.name)].find((owner) => this.ended.has(owner));
    if (back !== undefined) this.violate('no owner comes back', `${back} is back, by a late ${script}`);
    if (script === 'lock/release' && reply[0] !== 'not-held') this.ended.add(String(args['owner']));
    if (script !== 'lock/release' && script !== 'lock/withdraw') return;
    const place = holder === undefined ? -1 : waitingBefore.indexOf(holder);
    if (holder === undefined || (place < 0 && reply[0] !== 'kept')) return;
    if (place >= 0) this.checkGrant(holder, waitingBefore.slice(0, place));
    if (store.subscribers(lockChannel(this.name)) > store.subscribers(clientsChannel(this.name))) {
      this.violate('others get their turn', `${holder} was given ${this.name} although others listen`);
    }
  }

  private checkGrant(holder: OwnerId, passedOver: readonly OwnerId[]): void {
    const { server, name, world } = this;
    if (!this.isListening(holder)) this.violate('granted to listeners', `${holder} does not listen for ${name}`);
    const first = passedOver.find((owner) => this.isListening(owner));
    if (first !== undefined) {
      this.violate('first come, first served', `${name} went to ${holder} before ${first}`);
    }
    const lease = server.stored.remaining(name);
    const waited = server.store.now() - (this.arrivals.get(holder) ?? 0);
    if (lease > FIRST_LEASE_TIMEOUTS * world.profile.commandTimeout && waited > FRESH_MS + 1) {
      this.violate('short first lease', `${holder} was given ${name} for ${lease} ms after ${waited.toFixed(1)} ms`);
    }
  }

  private isListening(owner: OwnerId): boolean {
    return this.server.store.subscribers(clientChannel(this.name, clientIdOf(owner))) > 0;
  }

  private checkOwner(): void {
    const { world, name } = this;
    const { now } = world.simulation;
    const owner = this.unknownOwner();
    if (owner === undefined) this.unknown = undefined;
    else if (this.unknown?.owner !== owner) this.unknown = { owner, since: now };
    else if (now - this.unknown.since > this.longestUnknown) {
      this.violate(
        'no lost grant',
        `${owner} has had ${name} unknowingly for ${(now - this.unknown.since).toFixed(1)} ms`,
      );
    }
  }

  /** The owner of the lock, if its process lives and does not know. */
  private unknownOwner(): OwnerId | undefined {
    const owner = this.server.stored.holderOf(this.name);
    if (owner === undefined) return undefined;
    const process = this.world.processes.find(({ clientIds }) => clientIds.has(clientIdOf(owner)));
    if (!process?.isAlive || process.isStalled) return undefined;
    const isKnown = process.runtimes.some(({ grants }) => [...grants].some((grant) => grant.owner === owner));
    return isKnown ? undefined : owner;
  }

  private violate(rule: string, what: string): void {
    this.world.simulation.violate(rule, what);
  }
}

/** Checks from now on how a lock of this name passes from client to client. */
export const watchGrants = (world: SimulatedWorld, server: SimulatedServer, name: string): Grants =>
  new Grants(world, server, name);
