import { messageOf } from '../errors.js';
import type { LockEvent, LockEvents } from './lock-events.js';
import { type Affected, type Outage, titleOf } from './outage.js';

/** The part of Nest's logger that is used. */
export interface EventLog {
  log(message: string): void;
  warn(message: string): void;
  error(message: string, stack?: string): void;
}

const stackOf = (error: unknown): string | undefined => (error instanceof Error ? error.stack : undefined);

const AVAILABLE = 'compare availablePermits() with the expected number, and correct it with addPermits()';

const givenUpText = ({ lockName, request, count = 0, error }: LockEvent & { readonly type: 'given-up' }): string => {
  const [what, remedy] = {
    acquire: [`${count} permit(s) were taken from`, AVAILABLE],
    drain: ['all permits were taken from', AVAILABLE],
    release: [`${count} permit(s) were given back to`, AVAILABLE],
    'count-down': [
      'one count was taken from',
      'compare getCount() with the expected count, and correct it with countDown()',
    ],
  }[request];
  const why = error === undefined ? '' : `: ${messageOf(error)}`;
  return `Whether ${what} "${lockName}" is unknown${why}; ${remedy}`;
};

/** Most names in one line. */
const SHOWN = 10;

const quoted = (name: string): string => `"${name}"`;

/** Joins names for one log line, with the number of omitted ones. */
export const listed = (names: readonly string[]): string => {
  const rest = names.length - SHOWN;
  return [...names.slice(0, SHOWN), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
};

export const seconds = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`);

/** `Lock "order:42" (@Locked Orders.pay)`. */
const lockOf = ({ lockName, method }: { readonly lockName: string; readonly method?: string | undefined }): string =>
  method === undefined ? `Lock ${quoted(lockName)}` : `Lock ${quoted(lockName)} (${method})`;

const heldFor = (event: { readonly heldFor?: number }): string =>
  event.heldFor === undefined ? '' : ` after ${seconds(event.heldFor)}`;

const CONSEQUENCES: Readonly<Record<Affected, string>> = {
  'all-locks': 'locks fail with LockUnavailableError, 503 over HTTP',
  'its-slots': 'locks in its slots fail with LockUnavailableError, 503 over HTTP',
  'its-vote': 'getRedLock(name) decides without it',
};

const unavailable = ({ reason, affects, error }: Outage): string => {
  const end = error.permanent ? 'this is fixed' : affects === 'its-slots' ? 'it is back or replaced' : 'it is back';
  return `${reason}. Until ${end}, ${CONSEQUENCES[affects]}`;
};

const write = (log: EventLog, event: LockEvent): void => {
  switch (event.type) {
    case 'lost':
      log.warn(
        `${lockOf(event)} was lost by this process${heldFor(event)}: ${event.reason}. Others may get it while its work goes on; ` +
          `${event.remedy} (owner ${event.owner})`,
      );
      break;
    case 'max-hold-reached':
      log.error(
        `${lockOf(event)} has been held by this process for ${seconds(event.heldFor)}, and maxHold of ${seconds(event.maxHold)} ` +
          `ends it now: it is no longer renewed; shorten the work, or raise maxHold (owner ${event.owner})`,
      );
      break;
    case 'long-hold':
      log.warn(
        `${lockOf(event)} has been held by this process for ${seconds(event.heldFor)}; check whether its work hangs, and set ` +
          `maxHold in the module options to limit holds (owner ${event.owner})`,
      );
      break;
    case 'renewal-failed':
      log.warn(
        `This process could not renew ${event.holds} of its locks, ${listed(event.lockNames.map(quoted))}: ${messageOf(event.error)}. ` +
          'It tries again until their leases end; check the connection to Redis, or they are lost',
      );
      break;
    case 'release-failed':
      log.warn(
        `${lockOf(event)} was released by this process${heldFor(event)}, but Redis did not confirm that: ${messageOf(event.error)}. ` +
          `The release is tried again; others wait until it succeeds or the lease ends (owner ${event.owner})`,
      );
      break;
    case 'permits-release-failed':
      log.warn(
        `This process gave ${event.permits} permit(s) back to semaphore "${event.lockName}", but Redis did not confirm that: ` +
          `${messageOf(event.error)}. The release is tried again; until then the permits are missing`,
      );
      break;
    case 'given-up':
      log.error(givenUpText(event));
      break;
    case 'clock-jumped':
      log.warn(
        `The clock of a Redis server was set ${event.ms > 0 ? 'forward' : 'back'} by ${Math.abs(event.ms)} ms: leases end ${event.ms > 0 ? 'too soon' : 'too late'} there`,
      );
      break;
    case 'unavailable':
      log.error(unavailable(event));
      break;
    case 'available':
      log.log(`${titleOf(event.server)} is ${event.isReplaced ? 'replaced' : 'back'} after ${seconds(event.after)}`);
      break;
    case 'election-failed':
      log.error(
        `Leader election "${event.lockName}": the candidate of this process failed: ${messageOf(event.error)}. It becomes a candidate again in a second`,
        stackOf(event.error),
      );
      break;
    case 'result-not-shared':
      log.warn(
        `The result for "${event.lockName}" could not be stored in Redis: ${messageOf(event.error)}. ` +
          'This process has it; other waiting processes run the function themselves',
      );
      break;
    case 'unexpected':
      log.error(`Unexpected: ${messageOf(event.error)}`, stackOf(event.error));
      break;
    default:
      event satisfies never;
  }
};

/** Logs every event. Returns a function that stops it. */
export const logEvents = (events: LockEvents, log: EventLog): (() => void) => events.on((event) => write(log, event));
