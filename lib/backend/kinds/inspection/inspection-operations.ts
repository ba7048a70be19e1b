import type { OwnerId } from '../../../context/owner-ids.js';

/** A hold, or a permit, as stored. */
export interface StoredHolder {
  readonly owner: string;
  readonly mode: 'exclusive' | 'read' | 'write' | 'permit';
  readonly count: number;
  /** Milliseconds; -1: without end. */
  readonly remaining: number;
  /** Of a group lock: the fields that it holds. */
  readonly fields?: readonly string[];
  /** The record that the holder has made of itself, as text. */
  readonly record?: string;
}

/** Waiters with an order on the server. */
export interface StoredQueue {
  readonly count: number;
  /** The first {@link MOST_LISTED} of them. */
  readonly owners: readonly OwnerId[];
}

/** The data under the name of a lock, semaphore or latch, read in one step. */
export interface StoredState {
  /** `foreign`: data of something else, see `problem`. */
  readonly shape: 'none' | 'exclusive' | 'read' | 'write' | 'group' | 'limit' | 'permits' | 'number' | 'foreign';
  /** The first {@link MOST_LISTED} of them. */
  readonly holders: readonly StoredHolder[];
  readonly holderCount: number;
  /** How many clients listen for releases. */
  readonly listeners: number;
  /** The queue of a fair lock or limit: the lock goes to its head. */
  readonly queue: StoredQueue;
  /** The clients that can be given the lock. */
  readonly clients: StoredQueue;
  /** The waiting writers that go before new readers, in no order; of a read-write lock only. */
  readonly writers: StoredQueue;
  /** The last fencing token. */
  readonly fence?: bigint;
  /** The number of a semaphore or latch; the limit of the last owner that was admitted. */
  readonly number?: number;
  /** The type of data that is not understood. */
  readonly problem?: string;
}

/** Most holders and waiters that are read. */
export const MOST_LISTED = 1000;

export const NO_QUEUE: StoredQueue = { count: 0, owners: [] };

/** Under which name a holder was found. */
export interface FoundName {
  /** The name of the lock, limit or semaphore. */
  readonly name: string;
  /** The key. */
  readonly key: string;
  readonly what: 'lock' | 'limit' | 'permits';
}

/** Which names are looked for. */
export interface NameSearch {
  /** A glob, as of SCAN, that names match. */
  readonly pattern: string;
  /** How many keys a server looks at for one command. */
  readonly batch: number;
}

/** A record that is kept beside a hold. */
export interface RecordRequest {
  readonly name: string;
  readonly owner: OwnerId;
  readonly text: string;
  /** Milliseconds from now. */
  readonly lease: number;
}
