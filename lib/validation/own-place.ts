/** This module in a stack, or the file of the package that it is in, unless a bundler has put it into another one. */
const OWN_FILE = /([^\s(]*[/\\])(?:validation[/\\]own-place\.ts|shared[/\\]locks\.cjs)/;
const ANY_FILE = /([^\s(]+):\d+:\d+\)?$/m;

/** The stack of the caller; empty if the application has replaced how stacks are written. */
export const stackHere = (): string => {
  const here: { stack?: unknown } = {};
  Error.captureStackTrace(here, stackHere);
  return typeof here.stack === 'string' ? here.stack : '';
};

const ofLoading = stackHere();

/** The folder of this library, with a separator at its end; `undefined` if it is bundled. */
export const LIBRARY_FOLDER = OWN_FILE.exec(ofLoading)?.[1];

/** The folder of this copy of the library, or the file that it is bundled into. */
const OWN_PLACE = LIBRARY_FOLDER ?? ANY_FILE.exec(ofLoading)?.[1] ?? 'unknown';

/** The same for all copies and versions in a process. */
const PLACES = Symbol.for('nest-redis-lock: places of the copies of the library');

const known: unknown = Reflect.get(globalThis, PLACES);
const places: unknown[] = Array.isArray(known) ? known : [];
if (places !== known) Object.defineProperty(globalThis, PLACES, { value: places, configurable: true });
if (!places.includes(OWN_PLACE)) places.push(OWN_PLACE);

/** Adds to an error that several copies may be the cause, if there are several. */
export const withCopies = (text: string): string => {
  const copies = copiesText();
  return copies === undefined ? text : `${text}. Also, ${copies}`;
};

/** Says that there are several copies of this library in the process, and where; `undefined`: there is one. */
export const copiesText = (): string | undefined =>
  places.length < 2
    ? undefined
    : `nest-redis-lock is loaded ${places.length} times, from ${places.map(String).join(' and ')}: a decorator, a service or a hold ` +
      'of one copy is unknown to the module of another; install it once';
