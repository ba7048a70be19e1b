import { MOST_PERMITS } from '../../backend/kinds/counters/counters.js';
import type { OwnerId } from '../../context/owner-ids.js';
import {
  type CountRange,
  contradiction,
  invalidOption,
  namesOf,
  parseCount,
  parseFlag,
} from '../../validation/options.js';
import type { Beside } from '../../validation/refused.js';

/** The kinds that `kind` names. */
export type KindName = 'spin' | 'nonReentrant' | 'redLock';

interface KindChoice {
  /**
   * `spin`: waiters poll instead of subscribing (`getSpinLock`). `nonReentrant`: its owner cannot acquire it twice; may be
   * fair (`getNonReentrantLock`). `redLock`: on a quorum of the independent servers of the module's `redLock` option
   * (`getRedLock(name)`). Default: the reentrant lock (Redisson: `getLock`).
   */
  readonly kind?: KindName | undefined;
  /**
   * `exclusive` (default): one holder. `read` and `write`: the halves of the read-write lock of that name; many readers
   * or one writer (Redisson: `getReadWriteLock`).
   */
  readonly mode?: 'exclusive' | 'read' | 'write' | undefined;
  /**
   * With `mode: 'read'` or `'write'`. `writer`: a waiting writer keeps new readers out, as by
   * `getReadWriteLock(name, { preference })`; readers and writers must both give it. Default: new readers join current
   * readers even if a writer waits.
   */
  readonly preference?: 'writer' | undefined;
  /**
   * `true`: first come, first served across all processes, also for a non-reentrant lock (Redisson: `getFairLock`).
   * Default: false.
   */
  readonly fair?: boolean | undefined;
  /** `true`: the hold carries a fencing token, `hold.fence` (Redisson: `getFencedLock`). Default: false. */
  readonly fenced?: boolean | undefined;
  /**
   * How many owners hold it at once, in all processes: 1 … 2^31 − 1. Each has a permit of its own with a lease, so those of
   * a process that crashes are free again within the lease. Code that holds a permit and acquires the same name again uses
   * that permit. With `fair: true` waiters are served in the order in which they began to wait, over all processes; a
   * waiter whose process dies delays the others by one `fairWaitTimeout`, and callers without `fair` get no permit while
   * callers with it wait. With different limits for one name, each call is measured by its own, and there is an event
   * (`limits-differ`). Independent of a lock or semaphore of the same name.
   */
  readonly limit?: number | undefined;
  /**
   * With `limit`. `true`: each permit has a number, `hold.slot`, from 0 to `limit` − 1, that no other permit in use has:
   * which device, port or account its holder uses. An acquisition reads the numbers of all permits in use. Default: false.
   */
  readonly numbered?: boolean | undefined;
}

type Exclusive = KindChoice & { readonly mode?: 'exclusive' | undefined; readonly preference?: undefined };
type Unfair = { readonly fair?: false | undefined };
type Unfenced = { readonly fenced?: false | undefined };

const NOT_WITH_LIMIT = ['kind', 'mode', 'preference', 'fenced'] as const satisfies readonly (keyof KindChoice)[];
type NotWithLimit = (typeof NOT_WITH_LIMIT)[number];

type Limited = Pick<KindChoice, 'fair' | 'numbered'> & { readonly limit: number } & {
  readonly [Name in NotWithLimit]?: undefined;
};

/** The kind of lock behind a name. Default: the reentrant one. At most one of fair, fenced, read or write, and `kind`. */
export type LockKindOptions =
  Limited | (UnlimitedKinds & { readonly limit?: undefined; readonly numbered?: undefined });

type UnlimitedKinds =
  | (Exclusive & Unfenced & { readonly kind?: 'nonReentrant' | undefined })
  | (Exclusive & Unfair & Unfenced)
  | (Exclusive & Unfair & { readonly kind?: undefined })
  | (KindChoice & Unfair & Unfenced & { readonly kind?: undefined; readonly preference?: undefined })
  | (KindChoice & Unfair & Unfenced & { readonly kind?: undefined; readonly mode: 'read' | 'write' });

/** Options that {@link parseKind} refuses together, and why. */
export type KindContradictions = [
  [
    Beside<'limit', NotWithLimit>,
    'a limit is a kind of its own, with several holders: without kind, mode, preference and fenced',
  ],
  [{ numbered: boolean; limit: undefined }, 'only the permits of a limit have numbers: give limit'],
  [{ fair: true; fenced: true }, 'no lock is both fair and fenced'],
  [{ mode: 'read' | 'write'; kind: KindName }, 'a read-write lock is a kind of its own: give mode or kind'],
  [{ mode: 'read' | 'write'; fair: true }, 'a read-write lock has no queue: mode and fair exclude each other'],
  [
    { mode: 'read' | 'write'; fenced: true },
    'a read-write lock has no fencing tokens: mode and fenced exclude each other',
  ],
  [
    { preference: 'writer'; mode: 'exclusive' | undefined },
    'only a read-write lock has a preference: give mode "read" or "write"',
  ],
  [{ kind: 'spin' | 'redLock'; fair: true }, 'waiters of this kind have no order: kind and fair exclude each other'],
  [{ kind: KindName; fenced: true }, 'holds of this kind have no fencing tokens: kind and fenced exclude each other'],
];

/** How many owners of a limit hold it at once. */
const LIMIT: CountRange = { min: 1, max: MOST_PERMITS };

/** A permit of a limit. */
export interface Limit {
  readonly limit: number;
  /** Whether waiters are served in the order of their arrival, over all processes. */
  readonly isFair: boolean;
  readonly isNumbered: boolean;
}

/** A lock of an owner that the application has chosen. */
export interface Owned {
  readonly owner: OwnerId;
  readonly isFenced: boolean;
}

/** A lock that its caller takes over from its holder. */
export interface Replacing {
  readonly replaces: 'plain' | 'fenced';
}

/** The kinds that options can select. */
export type ChosenKind =
  | 'plain'
  | 'fair'
  | 'fenced'
  | 'spin'
  | 'nonReentrant'
  | 'nonReentrantFair'
  | 'quorum'
  | 'read'
  | 'write'
  | 'readBehindWriters'
  | 'writeFirst'
  | Limit
  | Owned
  | Replacing;

const NAMED_KINDS: ReadonlyMap<unknown, ChosenKind> = new Map<KindName, ChosenKind>([
  ['spin', 'spin'],
  ['nonReentrant', 'nonReentrant'],
  ['redLock', 'quorum'],
]);

/** Options of kinds whose locks are not taken over: of several holders, or in turn, or not by one script. */
const NOT_REPLACEABLE = ['kind', 'mode', 'preference', 'fair', 'limit', 'numbered'] as const;

/** Options that {@link parseReplacing} refuses, and why. */
export type ReplaceContradictions = [
  [
    { readonly onConflict: 'replace' } & Beside<'onConflict', (typeof NOT_REPLACEABLE)[number] | 'permits'>,
    'only plain and fenced locks are taken over: without kind, mode, preference, fair, limit and permits',
  ],
];

/**
 * The kind of a call that takes its lock over.
 * @throws LockOptionsError as {@link parseKind}, or for a kind whose locks are not taken over.
 */
export const parseReplacing = (given: Partial<Record<keyof KindChoice, unknown>>): Replacing => {
  const other = NOT_REPLACEABLE.find((option) => given[option] !== undefined);
  if (other) throw contradiction('onConflict "replace"', other, 'only plain and fenced locks are taken over');
  return { replaces: parseFlag(given.fenced, 'fenced') ? 'fenced' : 'plain' };
};

/** The option names that choose a kind. */
export const KIND_OPTIONS = namesOf<KindChoice>()('kind', 'mode', 'preference', 'fair', 'fenced', 'limit', 'numbered');

/**
 * @param given The caller's options, unchecked.
 * @throws LockOptionsError that names option and value, or both options if they contradict each other.
 */
export const parseKind = (given: Partial<Record<keyof KindChoice, unknown>>): ChosenKind => {
  if (given.limit !== undefined) return parseLimit(given);
  if (given.numbered !== undefined)
    throw contradiction('numbered', 'a missing limit', 'only permits of a limit have numbers');
  const { kind, mode = 'exclusive', preference } = given;
  const [fair, fenced] = [parseFlag(given.fair, 'fair'), parseFlag(given.fenced, 'fenced')];
  if (mode !== 'exclusive' && mode !== 'read' && mode !== 'write') {
    throw invalidOption('mode', mode, '"exclusive", "read" or "write"');
  }
  if (preference !== undefined && preference !== 'writer') throw invalidOption('preference', preference, '"writer"');
  const chosen = kind === undefined ? undefined : parseKindName(kind);
  if (fair && fenced) throw contradiction('fair', 'fenced', 'no lock is both');
  if (mode !== 'exclusive') {
    if (chosen)
      throw contradiction(`kind "${String(kind)}"`, `mode "${mode}"`, 'a read-write lock is a kind of its own');
    if (fair) throw contradiction('fair', `mode "${mode}"`, 'a read-write lock has no queue');
    if (fenced) throw contradiction('fenced', `mode "${mode}"`, 'a read-write lock has no fencing tokens');
    if (!preference) return mode;
    return mode === 'read' ? 'readBehindWriters' : 'writeFirst';
  }
  if (preference)
    throw contradiction('preference', 'mode "exclusive"', 'only a read-write lock has writers and readers');
  if (chosen === 'nonReentrant' && fair && !fenced) return 'nonReentrantFair';
  if (chosen && fair) throw contradiction('fair', `kind "${String(kind)}"`, 'its waiters have no order');
  if (chosen && fenced) throw contradiction('fenced', `kind "${String(kind)}"`, 'its holds have no fencing tokens');
  if (chosen) return chosen;
  if (fair) return 'fair';
  return fenced ? 'fenced' : 'plain';
};

const parseLimit = (given: Partial<Record<keyof KindChoice, unknown>>): Limit => {
  const other = NOT_WITH_LIMIT.find((option) => given[option] !== undefined);
  if (other) throw contradiction('limit', other, 'a limit is a kind of its own, with several holders');
  return {
    limit: parseCount(given.limit, 'limit', LIMIT),
    isFair: parseFlag(given.fair, 'fair'),
    isNumbered: parseFlag(given.numbered, 'numbered'),
  };
};

const parseKindName = (kind: unknown): ChosenKind => {
  const chosen = NAMED_KINDS.get(kind);
  if (chosen) return chosen;
  if (kind === 'fair' || kind === 'fenced') throw invalidOption('kind', kind, `given as ${kind}: true`);
  throw invalidOption('kind', kind, '"spin", "nonReentrant" or "redLock"');
};
