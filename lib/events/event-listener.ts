import { invalidOption } from '../validation/options.js';
import { LOCK_EVENT_TYPES, type EventListener, type LockEventType } from './lock-events.js';
import { NOTICE_TYPES } from './lock-notices.js';

/** A listener, and the types of events that it is called for. */
interface ParsedListener {
  readonly listener: EventListener;
  readonly types: readonly LockEventType[];
}

const isType = (value: unknown): value is LockEventType => LOCK_EVENT_TYPES.some((type) => type === value);
const isListener = (value: unknown): value is EventListener => typeof value === 'function';

const parseTypes = (given: unknown): readonly LockEventType[] => {
  if (given === 'all') return LOCK_EVENT_TYPES;
  const types: readonly unknown[] = [given].flat();
  const wrong = types.length === 0 ? given : types.find((type) => !isType(type));
  if (wrong !== undefined || types.includes(undefined)) {
    throw invalidOption('types', wrong, `types of events, or 'all'; there are ${LOCK_EVENT_TYPES.join(', ')}`);
  }
  return [...new Set(types.filter(isType))];
};

/**
 * The arguments of `onEvent`.
 * @throws LockOptionsError
 */
export const parseEventListener = (given: readonly unknown[]): ParsedListener => {
  const listener = given.at(-1);
  if (!isListener(listener)) throw invalidOption('listener', listener, 'a function');
  return { listener, types: given.length > 1 ? parseTypes(given[0]) : NOTICE_TYPES };
};
