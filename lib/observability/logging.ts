import type { LockEvent, LockEvents } from './lock-events.js';

/** The little of Nest's logger that is used. */
export interface EventLog {
  warn(message: string): void;
  error(message: string, stack?: string): void;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const stackOf = (error: unknown): string | undefined => (error instanceof Error ? error.stack : undefined);

const AVAILABLE = 'compare availablePermits() with what it should be, and mend it with addPermits()';

const givenUpText = ({ lockName, request, count = 0, error }: LockEvent & { readonly type: 'given-up' }): string => {
  const [what, remedy] = {
    acquire: [`${count} permit(s) were taken from`, AVAILABLE],
    drain: ['all permits were taken from', AVAILABLE],
    release: [`${count} permit(s) were given back to`, AVAILABLE],
    'count-down': [
      'one was counted down from',
      'compare getCount() with what it should be, and mend it with countDown()',
    ],
  }[request];
  const why = error === undefined ? '' : `: ${messageOf(error)}`;
  return `Whether ${what} "${lockName}" stays unknown${why}; ${remedy}`;
};

const write = (log: EventLog, event: LockEvent): void => {
  switch (event.type) {
    case 'lost':
      log.warn(`Lock "${event.lockName}" was lost by ${event.owner}: ${event.reason}`);
      break;
    case 'held-too-long':
      log.error(
        `Lock "${event.lockName}" is held by ${event.owner} for ${event.heldFor} ms; maxHold of ${event.maxHold} ms ends it now`,
      );
      break;
    case 'held-long':
      log.warn(
        `Lock "${event.lockName}" is held by ${event.owner} for ${event.heldFor} ms; give maxHold to limit what one hold may take`,
      );
      break;
    case 'renewal-failed':
      log.warn(`Renewing ${event.holds} hold(s) failed and is tried again: ${messageOf(event.error)}`);
      break;
    case 'release-failed':
      log.warn(
        `Releasing lock "${event.lockName}" of ${event.owner} could not be confirmed: ${messageOf(event.error)}`,
      );
      break;
    case 'permits-release-failed':
      log.warn(
        `Giving ${event.permits} permit(s) back to "${event.lockName}" could not be confirmed: ${messageOf(event.error)}`,
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
    case 'election-failed':
      log.error(`The leadership "${event.lockName}" failed here: ${messageOf(event.error)}`, stackOf(event.error));
      break;
    case 'result-not-shared':
      log.warn(`The result for "${event.lockName}" could not be left for other processes: ${messageOf(event.error)}`);
      break;
    case 'unexpected':
      log.error(`Unexpected: ${messageOf(event.error)}`, stackOf(event.error));
      break;
    default:
      event satisfies never;
  }
};

/** Writes every event to a log. Returns how to stop. */
export const logEvents = (events: LockEvents, log: EventLog): (() => void) => events.on((event) => write(log, event));
