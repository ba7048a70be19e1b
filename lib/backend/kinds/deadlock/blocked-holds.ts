import { blockedHolds } from '../../../keys/redisson-keys.js';
import { scripts } from '../../scripts/scripts.generated.js';
import { RedisOperations } from '../../commands/deadline-request.js';

/** The record of a hold whose code waits for another lock, as it was found. */
export interface BlockedHoldRecord {
  readonly text: string;
  /** When it ends unless it is kept again, ms on the backend's clock. */
  readonly end: number;
}

/** Most records that are read at once: a lock for many readers may have many. */
const MOST_RECORDS = 100;

/**
 * Records of blocked holds in Redis: a sorted set beside the lock, in its slot, by the time at which each ends.
 *
 * Records beside a lock that tell which of its holds belong to code that waits for another lock, and for which one. They
 * grant nothing and prevent nothing: a record that is missing, or left behind for its time, changes no lock. The methods
 * reject with `LockUnavailableError` if the backend cannot answer in time, and are not repeated.
 */
export class RedisBlockedHolds extends RedisOperations {
  /**
   * Puts a record beside the lock `name`, or keeps the one that is there, for `ms` from now.
   * @param text One text for the whole of a wait.
   */
  async keep(name: string, text: string, ms: number): Promise<void> {
    const blocked = blockedHolds(name);
    await this.whenReady(
      blocked,
      (deadline) => this.commands.run(scripts.deadlock.keep, { blocked }, { text, ms }, deadline, name),
      name,
    );
  }

  /** Removes a record, if it is there. */
  async drop(name: string, text: string): Promise<void> {
    const blocked = blockedHolds(name);
    await this.whenReady(
      blocked,
      (deadline) => this.commands.run(scripts.deadlock.drop, { blocked }, { text }, deadline, name),
      name,
    );
  }

  /** The records beside the lock `name`; at most {@link MOST_RECORDS}. */
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
