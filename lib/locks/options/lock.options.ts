import { isConflict, type LockConflictError, type LockTimeoutError } from '../../errors.js';
import { type Duration, parseLease, parseWait } from '../../time/duration.js';
import { parseOwner } from '../../context/chosen-owner.js';
import {
  contradiction,
  invalidOption,
  namesOf,
  parseFlag,
  parseOptions,
  parseSignal,
} from '../../validation/options.js';
import type { Beside, CheckContradictions, CheckNames, Given } from '../../validation/refused.js';
import {
  type AcquireDefaults,
  type AcquireOptions,
  LEASE_OPTIONS,
  type LeaseContradictions,
  type LeaseTerms,
  type LockRequest,
  parseLeaseTerms,
  parseNote,
  WAIT_OPTIONS,
} from '../../waiting/acquire.options.js';
import { type ConnectionChoice, parseConnectionName } from './connection-choice.js';
import {
  type ChosenKind,
  KIND_OPTIONS,
  type KindContradictions,
  type LockKindOptions,
  type Owned,
  parseKind,
  parseReplacing,
  type ReplaceContradictions,
} from './kind.options.js';

/** Describes a call that did not get its lock. */
export interface ConflictContext<A extends readonly unknown[] = readonly unknown[]> {
  /** The reason: the single attempt failed, or the wait limit passed. */
  readonly error: LockConflictError | LockTimeoutError;
  /**
   * The arguments of the locked method; empty for `lockHandler` and `withLock`. A function that gives them types, as in
   * `({ args: [id] }: ConflictContext<[string]>) => …`, has to give those of the method.
   */
  readonly args: A;
}

/** Returns the result of a call that did not get its lock. */
export type ConflictHandler<R = unknown> = {
  // A method, whose parameter may be narrower: decorators check the arguments.
  call(context: ConflictContext): R | PromiseLike<R>;
}['call'];

/** The reaction of a call to a lock that it does not get. */
export type OnConflict = 'throw' | 'skip' | 'replace' | ConflictHandler;

/** How work runs under a lock, beside how the lock is acquired. */
export interface WithLockOptions<C extends OnConflict = OnConflict> {
  /**
   * Minimum time for which other owners do not get the lock, counted from acquisition, in ms or such as `'50s'`, even if
   * the work ends sooner. For jobs that are to run once among many replicas whose clocks differ. Default: 0.
   */
  readonly holdAtLeast?: Duration | undefined;
  /**
   * Result of a call that does not get the lock within `wait`: `throw` the error (default), `skip` the work and return
   * `undefined`, or the result of a function. With `skip` or a function, `wait` defaults to 0, because a call that may be
   * skipped is not worth waiting for. `replace`: the newest caller wins. The signal of the holder aborts at once, with a
   * `LockLostError` that `isReplaced`; it may end its work for as long as `wait` says (default: 0), and
   * then the lock becomes that of the caller. With `fenced: true`, what the old holder still writes is refused. Plain and
   * fenced locks, by name.
   */
  readonly onConflict?: C | undefined;
  /**
   * When the caller gets the result. `confirmed`: once the server has confirmed that the lock is free. `background`: once
   * the release has been written, which saves a round trip. What the same process acquires next comes after it; another
   * process may still find the lock held for a moment, and one with `wait: 0` be refused. A failed release is an event
   * (`release-failed`) either way, and is repeated; a shutdown waits for it. Default: that of the module.
   */
  readonly release?: 'confirmed' | 'background' | undefined;
}

type Otherwise<C> = C extends 'throw' | 'replace' | undefined
  ? never
  : C extends 'skip'
    ? undefined
    : C extends (...args: never) => infer R
      ? Awaited<R>
      : unknown;

/** The result of a call with the options `O` that does not get its lock. */
export type InsteadOf<O> = O extends unknown ? Otherwise<Given<O, 'onConflict'>> : never;

/** {@link WithLockOptions}, parsed and validated. */
export interface WithLockPlan {
  /** Milliseconds. */
  readonly holdAtLeast: number | undefined;
  readonly onConflict: OnConflict;
  /** `undefined`: as the module says. */
  readonly release: WithLockOptions['release'];
}

/** The option names. */
export const WITH_LOCK_OPTIONS = namesOf<WithLockOptions>()('holdAtLeast', 'onConflict', 'release');

const isOnConflict = (value: unknown): value is OnConflict =>
  value === 'throw' || value === 'skip' || value === 'replace' || typeof value === 'function';

/** @throws LockOptionsError that names the value. */
export const parseRelease = (value: unknown): WithLockOptions['release'] => {
  if (value === undefined || value === 'confirmed' || value === 'background') return value;
  throw invalidOption('release', value, '"confirmed" or "background"');
};

/**
 * @param given The caller's options, unchecked.
 * @param lease Of the same call.
 * @throws LockOptionsError that names option and value, or two options that contradict each other.
 */
export const parseWithLock = (
  given: Partial<Record<keyof WithLockOptions, unknown>>,
  lease: LeaseTerms,
): WithLockPlan => {
  const { onConflict = 'throw' } = given;
  if (!isOnConflict(onConflict))
    throw invalidOption('onConflict', onConflict, '"throw", "skip", "replace" or a function');
  const release = parseRelease(given.release);
  const holdAtLeast = given.holdAtLeast === undefined ? undefined : parseLease(given.holdAtLeast, 'holdAtLeast');
  const [limit, longest] = typeof lease === 'number' ? ['lease', lease] : ['maxHold', lease?.maxHold];
  if (holdAtLeast !== undefined && longest !== undefined && holdAtLeast > longest) {
    throw contradiction('holdAtLeast', limit, `a lock is not held for longer than its ${limit}`);
  }
  return { holdAtLeast, onConflict, release };
};

/** Whether a result does not wait until the server has confirmed the release. */
export const isInBackground = (
  release: WithLockPlan['release'],
  { releasesInBackground }: Pick<AcquireDefaults, 'releasesInBackground'>,
): boolean => (release === undefined ? releasesInBackground : release === 'background');

/** Milliseconds to wait if the call says nothing: a call that may be skipped does not wait. */
export const defaultWaitOf = ({ onConflict }: Pick<WithLockPlan, 'onConflict'>, defaultWait: number): number =>
  onConflict === 'throw' ? defaultWait : 0;

/**
 * The result of a call that could not acquire its lock.
 * @throws the error, if it is no conflict or nothing else is to be returned.
 */
export const resultOfConflict = async (
  { onConflict }: Pick<WithLockPlan, 'onConflict'>,
  error: unknown,
  args: readonly unknown[],
): Promise<unknown> => {
  if (!isConflict(error) || onConflict === 'throw' || onConflict === 'replace') throw error;
  return onConflict === 'skip' ? undefined : onConflict({ error, args });
};

/** How to acquire a lock that is given by name, of which kind it is, and on which connection it lives. */
export type LockOptions = AcquireOptions & LockKindOptions & ConnectionChoice;

/** Errors of the compiler for options that contradict each other, or that do not exist. */
export type CheckLockOptions<O, T = LockOptions> = CheckNames<O, T> &
  CheckContradictions<
    O,
    [
      ...OwnerContradictions,
      ...ReplaceContradictions,
      ...KindContradictions,
      ...LeaseContradictions,
      ...NoteContradictions,
    ]
  >;

/** The owner of a lock, if it is not that of the code that acquires it. */
export interface OwnerChoice {
  /**
   * The owner: a person, a session, a document editor. It has the lock wherever code runs for it: who acquires it again for
   * the same owner, in any process, gets it again, for at least its lease from now. Other owners see it in `inspect()`, and in the
   * error of a lock that is held. Such a lock is not renewed, and no code joins it: it needs a `lease`, and ends by it, by
   * `locks.extend` and `locks.release` of `{ name, owner }`, or by its hold. Plain and fenced locks. 1 to 256 characters.
   */
  readonly owner?: string | undefined;
}

/** How to acquire a lock that is given by name, for a hold that the caller releases. */
export type ManualLockOptions = LockOptions & OwnerChoice;

const NOT_WITH_OWNER = ['kind', 'mode', 'preference', 'fair', 'limit', 'numbered', 'renew', 'maxHold'] as const;

/** Options that {@link parseOwned} refuses together, and why. */
type OwnerContradictions = [
  [
    Beside<'owner', (typeof NOT_WITH_OWNER)[number]>,
    'a lock of an owner is a plain or fenced one with a lease: without kind, mode, preference, fair, limit, renew and maxHold',
  ],
  [{ owner: string; lease: undefined }, 'a lock of an owner is not renewed, so it needs a lease'],
];

/** Locks without a record of their holders, which a note would be kept in. */
type NoteContradictions = [
  [{ owner: string; note: string }, 'a lock of an owner has no record of its holder, and so no note'],
  [{ kind: 'redLock'; note: string }, 'locks of this kind have no records of their holders, and so no notes'],
];

/** The option names that say how a lock is acquired. */
export const ACQUIRE_OPTIONS = namesOf<AcquireOptions>()(...LEASE_OPTIONS, ...WAIT_OPTIONS, 'note');
const LOCK_OPTIONS = namesOf<LockOptions>()(...ACQUIRE_OPTIONS, ...KIND_OPTIONS, 'connection');
const MANUAL_LOCK_OPTIONS = namesOf<ManualLockOptions>()(...LOCK_OPTIONS, 'owner');
const LOCK_WORK_OPTIONS = namesOf<AcquireOptions & WithLockOptions>()(...ACQUIRE_OPTIONS, ...WITH_LOCK_OPTIONS);
export const SERVICE_WORK_OPTIONS = namesOf<LockOptions & WithLockOptions>()(...LOCK_OPTIONS, ...WITH_LOCK_OPTIONS);

/** A lock that is held while work runs is that of the work. */
const OF_THE_OWNER = { owner: 'to acquire and tryAcquire of a name: locks.acquire(name, { owner, lease })' };
/** An existing lock object has its kind and connection already. */
const OF_THE_LOCK = {
  fair: 'to the lock: locks.getFairLock(name)',
  fenced: 'to the lock: locks.getFencedLock(name)',
  mode: 'to the lock: locks.getReadWriteLock(name)',
  preference: "to the lock: locks.getReadWriteLock(name, { preference: 'writer' })",
  kind: 'to the lock: locks.getSpinLock(name), or the getter of another kind',
  limit: 'to the name: locks.acquire(name, { limit })',
  numbered: 'to the name: locks.acquire(name, { limit, numbered })',
  ...OF_THE_OWNER,
  connection: 'to the lock: locks.forConnection(connection).getLock(name)',
} satisfies Record<keyof LockKindOptions | 'connection' | 'owner', string>;
/** A hold that the caller releases has no work of its own. */
const OF_THE_WORK = {
  holdAtLeast: 'to withLock and @Locked',
  onConflict: 'to withLock and @Locked',
  release: 'to withLock and @Locked',
} satisfies Record<keyof WithLockOptions, string>;
const ACQUIRE_OF_LOCK = { of: 'acquire and tryAcquire of a lock', elsewhere: { ...OF_THE_LOCK, ...OF_THE_WORK } };

/** Unchecked option values. */
type GivenOptions = Partial<Record<keyof AcquireOptions, unknown>>;

/** How to run work under a lock, parsed and validated. */
export interface WithLockRequest extends LockRequest, WithLockPlan {}

/** {@link parseAcquire} for options whose names were checked already. */
export const parseRequest = ({ wait, signal, note, ...lease }: GivenOptions, defaultWait: number): LockRequest => ({
  lease: parseLeaseTerms(lease),
  wait: wait === undefined ? defaultWait : parseWait(wait, 'wait'),
  signal: parseSignal(signal),
  note: parseNote(note),
});

/** {@link parseRunLocked} for options whose names were checked already. */
export const parseWithLockRequest = (
  given: GivenOptions & Partial<Record<keyof WithLockOptions, unknown>>,
  defaultWait: number,
): WithLockRequest => {
  const { wait, signal } = given;
  const note = parseNote(given.note);
  const lease = parseLeaseTerms(given);
  const plan = parseWithLock(given, lease);
  const { holdAtLeast, onConflict, release } = plan;
  const limit = wait === undefined ? defaultWaitOf(plan, defaultWait) : parseWait(wait, 'wait');
  return { lease, wait: limit, signal: parseSignal(signal), note, holdAtLeast, onConflict, release };
};

/**
 * The options of `acquire` and `tryAcquire` of a lock.
 * @param defaultWait Default wait limit, ms.
 * @throws LockOptionsError that names option and value.
 */
export const parseAcquire = (options: AcquireOptions | undefined, defaultWait: number): LockRequest =>
  parseRequest(parseOptions(options, ACQUIRE_OPTIONS, ACQUIRE_OF_LOCK), defaultWait);

/**
 * The options of `withLock` of a lock.
 * @param defaultWait Default wait limit, ms.
 * @throws LockOptionsError that names option and value.
 */
export const parseRunLocked = (
  options: (AcquireOptions & WithLockOptions) | undefined,
  defaultWait: number,
): WithLockRequest => {
  const place = { of: 'withLock of a lock', elsewhere: OF_THE_LOCK };
  const given = parseOptions(options, LOCK_WORK_OPTIONS, place);
  if (given.onConflict === 'replace')
    throw invalidOption(
      'onConflict',
      'replace',
      'given with a name: locks.withLock(name, { onConflict: "replace" }, fn)',
    );
  return parseWithLockRequest(given, defaultWait);
};

/** Kind and connection of a lock that is given by name. */
interface LockChoice {
  readonly kind: ChosenKind;
  readonly connection: string | undefined;
  /** The other options, still to be parsed with the lock's defaults. */
  readonly options: GivenOptions & Partial<Record<keyof WithLockOptions, unknown>>;
}

const PLAIN: LockChoice = { kind: 'plain', connection: undefined, options: {} };

/**
 * The choice of `acquire` and `tryAcquire`.
 * @throws LockOptionsError that names option and value, or two options that contradict each other.
 */
export const parseChoice = (options: ManualLockOptions | undefined): LockChoice => {
  if (options === undefined) return PLAIN;
  const place = { of: 'acquire and tryAcquire', elsewhere: OF_THE_WORK };
  const { owner, ...given } = parseOptions(options, MANUAL_LOCK_OPTIONS, place);
  return owner === undefined ? choiceOf(given) : choiceOf(given, parseOwned(owner, given));
};

/** The choice of `withLock`. @throws as {@link parseChoice} */
export const parseWithLockChoice = (options: (LockOptions & WithLockOptions) | undefined): LockChoice => {
  if (options === undefined) return PLAIN;
  const given = parseOptions(options, SERVICE_WORK_OPTIONS, { of: 'withLock', elsewhere: OF_THE_OWNER });
  return choiceOf(given, parseKindOfWork(given));
};

/** The kind of lock for work that runs under it. @throws LockOptionsError */
export const parseKindOfWork = (given: Partial<Record<keyof LockKindOptions | 'onConflict', unknown>>): ChosenKind =>
  given.onConflict === 'replace' ? parseReplacing(given) : parseKind(given);

const parseOwned = (owner: unknown, given: Partial<Record<keyof LockOptions, unknown>>): Owned => {
  const other = NOT_WITH_OWNER.find((option) => given[option] !== undefined);
  if (other) throw contradiction('owner', other, 'a lock of an owner is a plain or fenced one with a lease');
  if (given.lease === undefined) throw contradiction('owner', 'a missing lease', 'a lock of an owner is not renewed');
  return { owner: parseOwner(owner), isFenced: parseFlag(given.fenced, 'fenced') };
};

const choiceOf = (
  given: Partial<Record<keyof LockOptions | keyof WithLockOptions, unknown>>,
  kind: ChosenKind = parseKind(given),
) => ({
  kind,
  connection: parseConnectionName(given.connection),
  options: given,
});
