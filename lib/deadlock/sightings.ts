import { storedName } from '../holds/lock-kind.js';
import type { BlockedHoldOperations, BlockedHoldRecord } from '../backend/blocked-hold-operations.js';
import { type BlockedHold, blockedHoldOf, type WantedLock } from './blocked-hold.js';

/** A record that was found, and what it says. */
export interface Sighting extends BlockedHoldRecord {
  readonly hold: BlockedHold;
}

/** Most locks that are followed for one wait, and most records of them. */
const MOST_LOCKS = 50;
const MOST_SIGHTINGS = 500;

/** Finds which waits keep a lock from being had. What several waits ask is asked once. */
export class Sightings {
  private readonly found = new Map<string, Promise<readonly Sighting[]>>();

  constructor(private readonly records: Pick<BlockedHoldOperations, 'find'>) {}

  /** Follows the records from holder to holder, as far as they lead. */
  async behind(wanted: WantedLock): Promise<readonly Sighting[]> {
    const seen = new Map<string, Sighting>();
    const places = new Set([storedName(wanted)]);
    for (const place of places) {
      for (const sighting of await this.at(place)) {
        if (seen.size < MOST_SIGHTINGS) seen.set(sighting.text, sighting);
        if (places.size < MOST_LOCKS) places.add(storedName(sighting.hold.wait.wants));
      }
    }
    return [...seen.values()];
  }

  private at(place: string): Promise<readonly Sighting[]> {
    const found = this.found.get(place) ?? this.find(place);
    this.found.set(place, found);
    return found;
  }

  private async find(place: string): Promise<readonly Sighting[]> {
    const records = await this.records.find(place);
    return records.flatMap((record) => {
      const hold = blockedHoldOf(record.text);
      return hold ? [{ ...record, hold }] : [];
    });
  }
}
