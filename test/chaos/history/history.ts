import { readFileSync } from 'node:fs';
import type { Entry, Mode } from './entry.js';

/** One attempt to get a hold, and its outcome. */
export interface Attempt {
  readonly id: string;
  readonly kind: string;
  readonly lock: string;
  readonly mode: Mode;
  readonly wait: number;
  /** The instant of the request. */
  readonly invoked: number;
  /** The instant by which it had a place in the queue of a fair lock. */
  placed?: number;
  /** The instant of the grant. */
  granted?: number;
  /** The last instant at which the holder could have acted; `Infinity` if no entry says that the hold ended. */
  until: number;
  /** The instant at which the signal of the hold aborted. */
  lostAt?: number;
  fence?: bigint;
  lease?: number;
  /** The owner that the load has chosen. */
  owner?: string;
  /** The instant of the refusal, and its reason. */
  refused?: { readonly at: number; readonly error: string };
}

/** Everything that happened in one run. */
export interface History {
  readonly attempts: readonly Attempt[];
  /** Errors that stayed unhandled. */
  readonly crashes: readonly string[];
}

/** A process whose history ended with it, and the time at which it was killed. */
export interface Killed {
  readonly path: string;
  readonly at: number;
}

const linesOf = (path: string): Entry[] => {
  const lines = readFileSync(path, 'utf8').split('\n');
  // A killed process may have been in the middle of its last line.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Entry);
};

export const readHistory = (paths: readonly string[], killed: readonly Killed[] = []): History => {
  const attempts = new Map<string, Attempt>();
  const crashes: string[] = [];
  for (const path of paths) {
    const deathOf = killed.find((each) => each.path === path)?.at ?? Number.POSITIVE_INFINITY;
    for (const entry of linesOf(path)) {
      if (entry.k === 'crash') crashes.push(entry.error);
      else if (entry.k === 'invoke') {
        const { id, kind, lock, mode, wait, at } = entry;
        attempts.set(id, { id, kind, lock, mode, wait, invoked: at, until: deathOf });
      } else apply(attempts.get(entry.id), entry);
    }
  }
  return { attempts: [...attempts.values()].toSorted((a, b) => a.invoked - b.invoked), crashes };
};

const apply = (attempt: Attempt | undefined, entry: Exclude<Entry, { k: 'crash' | 'invoke' }>): void => {
  if (!attempt) throw new Error(`The history begins in the middle of ${entry.id}`);
  if (entry.k === 'grant') {
    attempt.granted = entry.at;
    if (entry.fence !== undefined) attempt.fence = BigInt(entry.fence);
    if (entry.lease !== undefined) attempt.lease = entry.lease;
    if (entry.owner !== undefined) attempt.owner = entry.owner;
  } else if (entry.k === 'placed') attempt.placed = entry.at;
  else if (entry.k === 'end') {
    attempt.until = entry.until;
    if (entry.lostAt !== undefined) attempt.lostAt = entry.lostAt;
  } else attempt.refused = { at: entry.at, error: entry.error };
};
