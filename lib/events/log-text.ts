import type { LockKindName } from './life-cycle-events.js';

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

/** What acquired a lock, as far as it is known. */
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
export const titleOfLock = (lock: NamedLock): string => {
  const title = (lock.kind && TITLES[lock.kind]) ?? 'Lock';
  return `${title} ${quoted(lock.lockName)}${inParentheses(lock, lock.lockName)}`;
};
