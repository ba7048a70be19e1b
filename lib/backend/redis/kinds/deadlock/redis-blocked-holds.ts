import { blockedHolds } from '../../../../keys/redisson-keys.js';
import { type BlockedHoldOperations, type BlockedHoldRecord, MOST_RECORDS } from '../../../blocked-hold-operations.js';
import { scripts } from '../../scripts/scripts.generated.js';
import { RedisOperations } from '../redis-operations.js';

/** Records of blocked holds in Redis: a sorted set beside the lock, in its slot, by the time at which each ends. */
export class RedisBlockedHolds extends RedisOperations implements BlockedHoldOperations {
  async keep(name: string, text: string, ms: number): Promise<void> {
    const blocked = blockedHolds(name);
    await this.whenReady(
      blocked,
      (deadline) => this.commands.run(scripts.deadlock.keep, { blocked }, { text, ms }, deadline, name),
      name,
    );
  }

  async drop(name: string, text: string): Promise<void> {
    const blocked = blockedHolds(name);
    await this.whenReady(
      blocked,
      (deadline) => this.commands.run(scripts.deadlock.drop, { blocked }, { text }, deadline, name),
      name,
    );
  }

  async find(name: string): Promise<readonly BlockedHoldRecord[]> {
    const blocked = blockedHolds(name);
    const args = { most: MOST_RECORDS };
    const [, , ...found] = await this.whenReady(
      blocked,
      (deadline) => this.commands.run(scripts.deadlock.find, { blocked }, args, deadline, name),
      name,
    );
    // Texts and ends by turns.
    return found.flatMap((text, index) => (index % 2 === 0 ? [{ text, end: Number(found[index + 1]) }] : []));
  }
}
