import { hashSlot } from '../../../lib/keys/hash-slot.js';
import type { OwnerId } from '../../../lib/context/owner-ids.js';
import type { Simulation } from '../engine/simulation.js';
import type { LockServer, Mode, SimulatedServer } from './simulated-server.js';

/** The move of a slot from one server to another. */
interface Move {
  readonly slot: number;
  readonly from: SimulatedServer;
  readonly to: SimulatedServer;
}

const replyError = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });

/** Servers that share the slots. A slot moves as in Redis Cluster: key by key, with redirections during the move. */
export class SimulatedCluster implements LockServer {
  private readonly slotServers = new Map<number, SimulatedServer>();
  private move: Move | undefined;

  constructor(
    private readonly simulation: Simulation,
    readonly servers: readonly SimulatedServer[],
  ) {
    for (const server of servers) {
      server.cluster = this;
      // Messages go to all servers of a cluster.
      server.store.peers = servers.filter((other) => other !== server).map(({ store }) => store);
    }
  }

  serverOf(slot: number): SimulatedServer {
    const serving = this.slotServers.get(slot) ?? this.servers[0];
    if (!serving) throw new Error('A cluster has servers');
    return serving;
  }

  /** The error by which a server answers that it does not serve these keys now. */
  refusal(server: SimulatedServer, keys: readonly string[], asking: boolean): Error | undefined {
    const slot = hashSlot(keys[0] ?? '');
    const { move } = this;
    const present = keys.filter((key) => server.isHeld(key)).length;
    if (move?.slot === slot && server === move.from) {
      if (present === keys.length) return undefined;
      return present === 0 ? replyError(`ASK ${slot} ${move.to.name}:0`) : tryAgain();
    }
    if (move?.slot === slot && server === move.to && asking) {
      return keys.length === 1 || present === keys.length ? undefined : tryAgain();
    }
    const serving = this.serverOf(slot);
    return server === serving ? undefined : replyError(`MOVED ${slot} ${serving.name}:0`);
  }

  /** Moves the slot to the next server, one key after the other. @param pause Draws the time between two keys, ms. */
  moveSlot(slot: number, pause: () => number): void {
    if (this.move) return;
    const from = this.serverOf(slot);
    const to = this.servers[(this.servers.indexOf(from) + 1) % this.servers.length] ?? from;
    this.move = { slot, from, to };
    this.simulation.note('cluster', () => `slot ${slot} begins to move from ${from.name} to ${to.name}`);
    this.later(this.move, pause);
  }

  remaining(mode: Mode, name: string, owner: OwnerId): number {
    return Math.max(...this.servers.map((server) => server.remaining(mode, name, owner)));
  }

  wasFreed(name: string): boolean {
    return !this.servers.some((server) => server.isHeld(name)) && this.servers.some((server) => server.wasFreed(name));
  }

  private later(move: Move, pause: () => number): void {
    this.simulation.at(this.simulation.now + pause(), () => this.step(move, pause));
  }

  private step(move: Move, pause: () => number): void {
    const { slot, from, to } = move;
    const next = from.store.keys().find((name) => hashSlot(name) === slot);
    if (next === undefined) {
      this.slotServers.set(slot, to);
      this.move = undefined;
      this.simulation.note('cluster', () => `slot ${slot} has moved to ${to.name}`);
      return;
    }
    const entry = from.store.entry(next);
    const ttl = from.stored.remaining(next);
    if (entry) to.store.put(next, entry.type, entry.value, ttl < 0 ? Number.POSITIVE_INFINITY : to.now + ttl);
    from.store.delete(next);
    this.simulation.note('cluster', () => `${next} moves to ${to.name}`);
    this.later(move, pause);
  }
}

const tryAgain = (): Error => replyError('TRYAGAIN Multiple keys request during rehashing of slot');
