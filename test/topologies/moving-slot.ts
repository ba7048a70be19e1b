import { hashSlot } from '../../lib/keys/hash-slot.js';
import type { RedisCluster } from '../servers/cluster/redis-cluster.js';
import type { RedisServer } from '../servers/redis/redis-server.js';

const MIGRATE_TIMEOUT_MS = 5000;

/** A slot on its way from one master to another. Its keys move when the test says so. */
export class MovingSlot {
  private finished = false;

  private constructor(
    private readonly cluster: RedisCluster,
    private readonly slot: number,
    readonly from: RedisServer,
    readonly to: RedisServer,
  ) {}

  /** Begins to move the slot of a key. */
  static async begin(cluster: RedisCluster, key: string): Promise<MovingSlot> {
    const slot = hashSlot(key);
    const owner = await cluster.ownerOfSlot(slot);
    const to = cluster.masters.find((server) => server !== owner);
    if (to === undefined) throw new Error('There is no other master');
    return new MovingSlot(cluster, slot, await cluster.beginMigration(slot, to), to);
  }

  /** The keys of the slot that have not moved yet. */
  async left(): Promise<readonly string[]> {
    return (await this.cluster.admin(this.from).call('CLUSTER', 'GETKEYSINSLOT', this.slot, 100)) as string[];
  }

  /** Moves these keys. Fails if the new master already has one of them, as `redis-cli --cluster reshard` does. */
  async move(...keys: readonly string[]): Promise<void> {
    const { host, port } = this.to;
    const moved = await this.cluster
      .admin(this.from)
      .call('MIGRATE', host, port, '', 0, MIGRATE_TIMEOUT_MS, 'KEYS', ...keys);
    if (moved !== 'OK') throw new Error(`MIGRATE found no key of ${keys.join(', ')}`);
  }

  /** Moves the remaining keys and ends the move, unless it has ended. */
  async finish(): Promise<void> {
    if (this.finished) return;
    const left = await this.left();
    if (left.length > 0) await this.move(...left);
    await this.cluster.finishMigration(this.slot, this.to);
    this.finished = true;
  }
}
