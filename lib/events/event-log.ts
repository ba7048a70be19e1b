import { type Scheduler, systemScheduler } from '../time/scheduler.js';
import type { LockKindName } from './life-cycle-events.js';
import { messageOf } from '../errors.js';
import { cycleText } from './deadlock-step.js';
import type { EventOf, LockEvents } from './lock-events.js';
import { type BlockedLock, type LockNotice, NOTICE_TYPES, type OfHold } from './lock-notices.js';
import { type Affected, type Outage, titleOf } from './outage.js';

/** How often a line that repeats is written, ms. */
const PERIOD_MS = 60_000;
/** Most lines whose repetitions are counted; further ones are written each time. */
const MOST_LINES = 100;

/** Writes a line. @param times How often the same line would have been written since the last time, if it was. */
type WriteLine = (times?: number) => void;

interface Repetition {
  /** How often it was written at once. */
  written: number;
  times: number;
  /** Writes the latest of them. */
  write: WriteLine;
}

/**
 * Writes a line at once, and while it repeats only once a minute, with the number of repetitions. Texts that differ only
 * in their numbers, such as times, count as one line.
 */
class RepeatedLines {
  private readonly repetitions = new Map<string, Repetition>();

  constructor(private readonly scheduler: Pick<Scheduler, 'schedule'>) {}

  /** @param atOnce How often it is written before it is only counted. */
  write(text: string, write: WriteLine, atOnce = 1): void {
    const key = text.replaceAll(/\d+/g, '0');
    const known = this.repetitions.get(key);
    if (known && known.written < atOnce) {
      known.written += 1;
      write();
      return;
    }
    if (known) {
      known.times += 1;
      known.write = write;
      return;
    }
    if (this.repetitions.size < MOST_LINES) this.begin(key, { times: 0, written: 1, write });
    write();
  }

  private begin(key: string, repetition: Repetition): void {
    this.repetitions.set(key, repetition);
    this.scheduler.schedule(PERIOD_MS, () => {
      this.repetitions.delete(key);
      const { times, written, write } = repetition;
      if (times === 0) return;
      this.begin(key, { times: 0, written, write });
      write(times);
    });
  }
}

/** Most names in one line. */
const SHOWN = 10;

/** Joins names for one log line, with the number of omitted ones. */
export const listed = (names: readonly string[]): string => {
  const rest = names.length - SHOWN;
  return [...names.slice(0, SHOWN), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
};

export const seconds = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`);

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A name in quotes. Names may contain control characters if the module allows that; a line of a log must not. */
export const quoted = (name: string): string => `"${name.replaceAll(/\p{Cc}/gu, escaped)}"`;

/** Caller or method that acquired a lock, as far as it is known. */
interface Origin {
  readonly template?: string | undefined;
  readonly method?: string | undefined;
}

/** Joins the key template and the method of a lock with further facts: `(order:<0>, @Locked Orders.pay)`. */
export const inParentheses = ({ template, method }: Origin, lockName: string, ...facts: readonly string[]): string => {
  // A template without arguments is the name itself.
  const known = [template === lockName ? undefined : template, method, ...facts].filter((fact) => fact !== undefined);
  return known.length === 0 ? '' : ` (${known.join(', ')})`;
};

const TITLES: Readonly<Partial<Record<LockKindName, string>>> = {
  read: 'Read lock',
  write: 'Write lock',
  limit: 'A permit of limit',
  semaphore: 'A permit of semaphore',
  permitExpirableSemaphore: 'A permit of semaphore',
};

/** The lock that an event is about, as far as the event says. */
interface NamedLock extends Origin {
  readonly lockName: string;
  readonly kind?: LockKindName | undefined;
}

/** The lock of an event at the beginning of a line: `Lock "order:42" (order:<0>, @Locked Orders.pay)`. */
const titleOfLock = (lock: NamedLock): string => {
  const title = (lock.kind && TITLES[lock.kind]) ?? 'Lock';
  return `${title} ${quoted(lock.lockName)}${inParentheses(lock, lock.lockName)}`;
};

/** Receives the lines that the library writes: a logger of Nest, `console`, or one of your own. */
export interface LockLogger {
  log(message: string): void;
  warn(message: string): void;
  error(message: string, stack?: string): void;
}

const stackOf = (error: unknown): string | undefined => (error instanceof Error ? error.stack : undefined);

const AVAILABLE = 'compare availablePermits() with the expected number, and correct it with addPermits()';

const givenUpText = ({ lockName, request, count = 0, error }: LockNotice & { readonly type: 'given-up' }): string => {
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
  return `Whether ${what} ${quoted(lockName)} is unknown${why}; ${remedy}`;
};

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

const OUTCOMES: Readonly<Record<BlockedLock['outcome'], string>> = {
  'renewed-in-worker': 'renewed by the worker thread',
  renewed: 'renewed late',
  held: 'still held',
  released: 'released since',
  lost: 'lost',
};

const described = (lock: OfHold): string => `${quoted(lock.lockName)}${inParentheses(lock, lock.lockName)}`;

const afterBlock = ({ lockName, method, lease, outcome }: BlockedLock): string =>
  `${quoted(lockName)}${inParentheses({ method }, lockName, `lease ${seconds(lease)}`, OUTCOMES[outcome])}`;

/** The innermost function of the application itself, or else of a package. */
const standingIn = (stack: readonly string[] = []): string => {
  const line = stack.find((each) => !/[\\/]node_modules[\\/]/.test(each)) ?? stack[0];
  return line === undefined ? '' : ` in ${line}`;
};

/** The events of which a process may have very many alike. */
type Repeating = 'renewal-failed' | 'election-failed' | 'result-not-shared' | 'unexpected';
/** The events that are worth a line. `force-released` tells who ended a hold that another process reports as lost. */
type Logged = LockNotice | EventOf<'force-released'>;

const LOGGED = [...NOTICE_TYPES, 'force-released'] as const;

const textOf = (event: LockNotice & { readonly type: Repeating }): string => {
  const message = messageOf(event.error);
  switch (event.type) {
    case 'renewal-failed':
      return (
        `This process could not renew ${event.holds} of its locks, ${listed(event.locks.map(described))}: ${message}. ` +
        'It tries again until their leases end; check the connection to Redis, or they are lost'
      );
    case 'election-failed':
      return (
        `Leader election ${quoted(event.lockName)}: the candidate of this process failed: ${message}. ` +
        'It becomes a candidate again in a second; correct the cause, or stop() the election'
      );
    case 'result-not-shared':
      return (
        `The result for ${quoted(event.lockName)} could not be stored in Redis: ${message}. ` +
        'This process has it; other waiting processes run the function themselves'
      );
    default:
      return `No caller received this error: ${message}. If it comes from a listener of onEvent(), catch it there; its stack tells`;
  }
};

/** Properties that repeated events have in common. Not the names: an outage would have a line for each of them. */
const likenessOf = (event: LockNotice & { readonly type: Repeating }): string => {
  const { type, error } = event;
  const message = messageOf(error);
  if (type === 'unexpected') return `${type} ${stackOf(error) ?? message}`;
  return type === 'election-failed' ? `${type} ${event.lockName} ${message}` : `${type} ${message}`;
};

const lostText = (event: LockNotice & { readonly type: 'lost' }): string =>
  `${titleOfLock(event)} was lost by this process${heldFor(event)}: ${event.reason}. Others may get it while its work goes on; ` +
  `${event.remedy} (owner ${event.owner})`;

/** Lost locks with a line of their own, each minute and for each reason. */
const LOSSES_AT_ONCE = 100;

const more = (times: number | undefined): string =>
  times === undefined ? '' : ` (${times === 1 ? 'once' : `${times} times`} more in the last minute)`;

/** Writes lines that repeat at most once a minute. */
class EventLines {
  private readonly repeated: RepeatedLines;

  constructor(
    private readonly log: LockLogger,
    scheduler: Pick<Scheduler, 'schedule'>,
  ) {
    this.repeated = new RepeatedLines(scheduler);
  }

  write(event: Logged): void {
    const { log } = this;
    switch (event.type) {
      case 'lost':
        // A server that lost its data takes ten thousand at once, and for one reason.
        this.repeated.write(
          `lost ${event.reason}`,
          (times) => log.error(`${lostText(event)}${more(times)}`),
          LOSSES_AT_ONCE,
        );
        break;
      case 'max-hold-reached':
        log.warn(
          `${titleOfLock(event)} has been held by this process for ${seconds(event.heldFor)}, and maxHold of ${seconds(event.maxHold)} ` +
            `ends it now: it is no longer renewed; shorten the work, or raise maxHold (owner ${event.owner})`,
        );
        break;
      case 'long-hold':
        log.warn(
          `${titleOfLock(event)} has been held by this process for ${seconds(event.heldFor)}; check whether its work hangs, and set ` +
            `maxHold in the module options to limit holds (owner ${event.owner})`,
        );
        break;
      case 'forgotten':
        log.error(
          `${titleOfLock(event)} was acquired by this process${event.acquiredAt === undefined ? '' : ` at ${event.acquiredAt}`} and never released, ` +
            `and after ${seconds(event.heldFor)} nothing refers to the hold: it is no longer renewed, and ends with its lease. ` +
            `Release it in a finally block, use withLock(), or keep the hold as long as it is wanted (owner ${event.owner})`,
        );
        break;
      case 'force-released':
        log.warn(
          `${titleOfLock(event)} was force-released by this process. The work of its holder goes on until the signal of the hold aborts; ` +
            'check that it has ended',
        );
        break;
      case 'loop-blocked':
        log.warn(
          `The event loop of this process stood for ${seconds(event.delay)}${standingIn(event.stack)}, so the main thread did not renew its locks in time: ` +
            `${listed(event.locks.map(afterBlock))}. Move synchronous work to a worker thread, or split it up`,
        );
        break;
      case 'worker-failed':
        log.error(
          `The worker thread of renewIn cannot renew locks: ${event.reason}. The main thread goes on with that, but a lock is ` +
            'lost if the event loop stands for longer than its lease',
        );
        break;
      case 'release-failed':
        log.warn(
          `${titleOfLock(event)} was released by this process${heldFor(event)}, but Redis did not confirm that: ${messageOf(event.error)}. ` +
            `The release is tried again; others wait until it succeeds or the lease ends (owner ${event.owner})`,
        );
        break;
      case 'permits-release-failed':
        log.warn(
          `This process gave ${event.permits} permit(s) back to semaphore ${quoted(event.lockName)}, but Redis did not confirm that: ` +
            `${messageOf(event.error)}. The release is tried again; until then the permits are missing`,
        );
        break;
      case 'given-up':
        log.error(givenUpText(event));
        break;
      case 'clock-jumped':
        log.warn(
          `The clock of a Redis server was set ${event.ms > 0 ? 'forward' : 'back'} by ${Math.abs(event.ms)} ms: leases end ${event.ms > 0 ? 'too soon' : 'too late'} there; ` +
            'let its time service slew the clock, not step it',
        );
        break;
      case 'unavailable':
        log.error(unavailable(event));
        break;
      case 'available':
        log.log(`${titleOf(event.server)} is ${event.isReplaced ? 'replaced' : 'back'} after ${seconds(event.after)}`);
        break;
      case 'limits-differ':
        log.warn(
          `Callers of limit ${quoted(event.lockName)} differ: this process allows ${event.limit} at once, and the last caller before allowed ${event.other}. ` +
            'Give the same limit everywhere, unless a deployment is changing it',
        );
        break;
      case 'deadlock':
        log.error(
          `Deadlock after ${seconds(event.waited)}: ${cycleText(event.cycle)}. The first of these, of this process, gave up with ` +
            'LockDeadlockError, so that the others go on; acquire these locks in the same order everywhere',
        );
        break;
      case 'lock-order-inverted':
        log.warn(
          `${event.method ?? 'A caller'} acquired ${quoted(event.second)} while it held ${quoted(event.first)}, and ${event.otherMethod ?? 'a caller'} ` +
            'acquires them the other way round: they can wait for each other for ever. Acquire them in the same order everywhere, ' +
            'or both at once with getMultiLock()',
        );
        break;
      case 'renewal-failed':
      case 'result-not-shared':
        this.writeRepeating(event, (text) => log.warn(text));
        break;
      case 'election-failed':
      case 'unexpected':
        this.writeRepeating(event, (text) => log.error(text, stackOf(event.error)));
        break;
      default:
        event satisfies never;
    }
  }

  private writeRepeating(event: LockNotice & { readonly type: Repeating }, write: (text: string) => void): void {
    this.repeated.write(likenessOf(event), (times) => write(`${textOf(event)}${more(times)}`));
  }
}

/**
 * Logs every notice, and what is forced. Returns a function that stops it.
 * @param scheduler Not the clock of the locks, which tests advance by hours.
 */
export const logEvents = (
  events: LockEvents,
  log: LockLogger,
  scheduler: Pick<Scheduler, 'schedule'> = systemScheduler,
): (() => void) => {
  const lines = new EventLines(log, scheduler);
  return events.on<(typeof LOGGED)[number]>((event) => lines.write(event), LOGGED);
};
