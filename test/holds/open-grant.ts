import { LockError, LockUnavailableError } from '../../lib/errors.js';
import { type LockEvent, LockEvents } from '../../lib/events/lock-events.js';
import { Grant, type GrantServices } from '../../lib/holds/grant.js';
import type { HoldLifetime } from '../../lib/holds/grant-holds.js';
import type { GrantPlace } from '../../lib/holds/converting/grant-place.js';
import { EndsByOthers } from '../../lib/holds/ends-by-others.js';
import { GrantRegistry } from '../../lib/holds/grant-registry.js';
import { GrantedHold } from '../../lib/holds/granted-hold.js';
import type { LockFamily, LockKind } from '../../lib/holds/lock-kind.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';
import type { Acquired } from '../../lib/waiting/lock-attempts.js';
import { Watchdog } from '../../lib/watchdog/watchdog.js';
import { AnsweredLock } from './answered-lock.js';

export const TIMEOUT = 30_000;

/** The reasons in the event of a loss. */
export const GONE = 'the server no longer has it, because it expired, was deleted or was force-released';
export const LEASE_OVER = 'its lease ended before it was renewed or released';

export interface ConnectionOptions {
  readonly maxHold?: number;
  readonly maxLease?: number;
  readonly keyPrefix?: string;
  readonly clock?: ManualClock;
}

/** One connection on a manual clock, whose server the test plays. */
export const openConnection = ({
  maxHold = Infinity,
  maxLease = Infinity,
  keyPrefix = '',
  clock = new ManualClock(),
}: ConnectionOptions = {}) => {
  const scheduler = new MonotonicScheduler(clock, (error) => {
    throw error;
  });
  const emitted: LockEvent[] = [];
  const events = new LockEvents();
  events.on((event) => void emitted.push(event));
  const watchdog = new Watchdog(scheduler, events, TIMEOUT);
  const names = { maxBytes: 1024, allowControlCharacters: false };
  const limits = { wait: 1000, renewedLease: TIMEOUT, maxHold, maxLease, maxNames: 10 };
  const defaults = { keyPrefix, releasesInBackground: false, names, ...limits };
  const services: GrantServices = {
    scheduler,
    watchdog,
    connection: 'default',
    events,
    defaults,
    grants: new GrantRegistry(),
    endsByOthers: new EndsByOthers({
      pubSub: { subscribe: () => Promise.resolve({ alive: true, cancel: () => {} }) },
      inspection: { tellHolders: () => Promise.resolve() },
      scheduler,
      events,
      clientId: 'me',
      server: { notifiedDatabase: undefined },
    }),
  };
  return { clock, scheduler, watchdog, emitted, services, lock: new AnsweredLock(scheduler) };
};

export interface GrantOptions {
  readonly name?: string;
  readonly owner?: string;
  readonly family?: LockFamily;
  /** The lease, ms. Without one the watchdog keeps the first hold. */
  readonly lease?: number | undefined;
  /** The end of the first hold. By default its acquirer releases it. */
  readonly lifetime?: HoldLifetime;
  readonly kind?: Partial<Pick<LockKind, 'handOver' | 'renewsLeases' | 'converting' | 'detaching'>>;
  readonly place?: GrantPlace<Grant>;
}

/** A grant that has its first hold. */
export const grantOn = (
  services: GrantServices,
  operations: AnsweredLock,
  { name = 'n', owner = 'me:1', family = 'exclusive', lease, lifetime = 'manual', kind = {}, place }: GrantOptions = {},
) => {
  const { scheduler, watchdog } = services;
  const acquirer: LockKind['acquirer'] = {
    acquire: () => Promise.reject(new Error('The lock is granted already')),
    settled: () => Promise.resolve(),
    contended: 0,
    waiters: () => [],
  };
  const granted = lease ?? watchdog.timeout;
  const acquired: Acquired = { owner, sent: new Stopwatch(scheduler), lease: granted, fence: undefined };
  const origin = { template: undefined, method: '@Locked A.b' };
  const lockKind: LockKind = { name: 'reentrant', family, operations, acquirer, ...kind };
  const grant = new Grant(services, lockKind, name, acquired, origin, place);
  const first = new GrantedHold(grant, lifetime, 0);
  grant.addFirstHold(first, lease);
  return { grant, first, acquired };
};

/** A grant with its first hold, on a connection of its own. */
export const openGrant = (options: GrantOptions & ConnectionOptions = {}) => {
  const connection = openConnection(options);
  const { grant, first, acquired } = grantOn(connection.services, connection.lock, options);
  const newHold = (): GrantedHold => new GrantedHold(grant, 'manual', 0);
  /** Adds one more hold to the grant. */
  const joined = async (lease?: number): Promise<GrantedHold> => {
    const hold = newHold();
    const joining = grant.reenter(hold, lease);
    connection.lock.answerHeld();
    await joining;
    return hold;
  };
  return { ...connection, grant, first, acquired, newHold, joined };
};

export const unavailable = (permanent = false): LockUnavailableError =>
  new LockUnavailableError('no reply', 'unknown', permanent);

/** All possible replies to the oldest `hold` command. */
export const HOLD_REPLIES = {
  held: (lock: AnsweredLock) => lock.answerHeld(),
  lost: (lock: AnsweredLock) => lock.holds.next().answer({ outcome: 'lost' }),
  'a passing error': (lock: AnsweredLock) => lock.holds.next().fail(unavailable()),
  'a permanent error': (lock: AnsweredLock) => lock.holds.next().fail(unavailable(true)),
};

const described = (error: unknown): string => {
  if (!(error instanceof LockError)) return String(error);
  const { reason } = error.details;
  return typeof reason === 'string' ? `${error.name}: ${reason}` : error.name;
};

/** The current state of a call: its value, the name of its error with the reason of a loss, or `pending`. */
export const outcomeOf = (call: Promise<unknown>): { readonly end: unknown } => {
  const outcome: { end: unknown } = { end: 'pending' };
  call.then(
    (value) => (outcome.end = value),
    (error: unknown) => (outcome.end = described(error)),
  );
  return outcome;
};

/** The reasons of all emitted losses. */
export const lossesIn = (emitted: readonly LockEvent[]): readonly string[] =>
  emitted.flatMap((event) => (event.type === 'lost' ? [event.reason] : []));
