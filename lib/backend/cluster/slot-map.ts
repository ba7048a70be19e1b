import { hashSlot } from '../../keys/hash-slot.js';
import { type Address, hostOf } from './cluster-servers.js';

const SLOTS = 16_384;

/** The server of each slot, as reported by one of them. */
export class SlotMap {
  private readonly masterBySlot: (Address | undefined)[] = Array.from({ length: SLOTS });
  readonly replicas = new Set<Address>();

  /**
   * @param reply To `CLUSTER SLOTS`: for each range its first slot, its last, its master, its replicas.
   * @param asked The server that replied; one that does not know its own address leaves it out.
   * @returns undefined if that is no such reply, or one of a server that knows no others yet.
   */
  static parse(
    reply: unknown,
    asked: Address,
    reachable: (host: string, port: number) => Address,
  ): SlotMap | undefined {
    if (!Array.isArray(reply) || reply.length === 0) return undefined;
    const map = new SlotMap();
    const ownHost = hostOf(asked);
    for (const range of reply as readonly unknown[]) {
      if (!Array.isArray(range)) return undefined;
      const [first, last, ...servers]: readonly unknown[] = range;
      if (typeof first !== 'number' || typeof last !== 'number') return undefined;
      const [owner, ...replicas] = servers.map((server) => {
        const [host, port]: readonly unknown[] = Array.isArray(server) ? server : [];
        const named = typeof host === 'string' && host !== '' && host !== '?' ? host : ownHost;
        return reachable(named, Number(port));
      });
      if (owner === undefined) return undefined;
      map.masterBySlot.fill(owner, first, last + 1);
      for (const replica of replicas) map.replicas.add(replica);
    }
    return map;
  }

  masterOf(key: string): Address | undefined {
    return this.masterBySlot[hashSlot(key)];
  }

  get masters(): ReadonlySet<Address> {
    return new Set(this.masterBySlot.filter((owner) => owner !== undefined));
  }

  /** Records that one slot is served by another server now. */
  move(slot: number, owner: Address): void {
    if (slot >= 0 && slot < SLOTS) this.masterBySlot[slot] = owner;
  }

  /** Whether any slot is served by another server than in `other`. */
  differsFrom(other: SlotMap): boolean {
    return this.masterBySlot.some((owner, slot) => owner !== other.masterBySlot[slot]);
  }
}
