/** The record of a hold whose code waits for another lock, as it was found. */
export interface BlockedHoldRecord {
  readonly text: string;
  /** When it ends unless it is kept again, ms on the backend's clock. */
  readonly end: number;
}

/**
 * Records beside a lock that tell which of its holds belong to code that waits for another lock, and for which one. They
 * grant nothing and prevent nothing: a record that is missing, or left behind for its time, changes no lock. The methods
 * reject with `LockUnavailableError` if the backend cannot answer in time, and are not repeated.
 */
export interface BlockedHoldOperations {
  /**
   * Puts a record beside the lock `name`, or keeps the one that is there, for `ms` from now.
   * @param text One text for the whole of a wait.
   */
  keep(name: string, text: string, ms: number): Promise<void>;
  /** Removes a record, if it is there. */
  drop(name: string, text: string): Promise<void>;
  /** The records beside the lock `name`; at most {@link MOST_RECORDS}. */
  find(name: string): Promise<readonly BlockedHoldRecord[]>;
}

/** Most records that are read at once: a lock for many readers may have many. */
export const MOST_RECORDS = 100;
