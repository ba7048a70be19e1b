import { invalidOption } from '../validation/options.js';
import type { OwnerId } from './owner-ids.js';

/** Ends an owner that an application has chosen. The numbers of clients, of Redisson too, begin with 1. */
const SUFFIX = ':0';

const MOST_CHARACTERS = 256;

/** An id of a client, of this library or of Redisson. */
const CLIENT_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Line breaks and other control characters. */
// oxlint-disable-next-line no-control-regex -- it is these that are looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * An owner that an application has chosen, as it is stored: in the notation of Redisson, so that each client takes the
 * lock for one.
 * @throws LockOptionsError that names the value.
 */
export const parseOwner = (value: unknown): OwnerId => {
  const isText = typeof value === 'string' && value.length > 0 && value.length <= MOST_CHARACTERS;
  if (isText && !CLIENT_ID.test(value) && !CONTROL.test(value)) return value + SUFFIX;
  const allowed = `text of 1 to ${MOST_CHARACTERS} characters, without control characters, that is no id of a client (UUID)`;
  throw invalidOption('owner', value, allowed);
};

/** Whether an application has chosen this owner, which may acquire a lock that it has released before. */
export const isChosenOwner = (owner: OwnerId): boolean => owner.endsWith(SUFFIX);

/** An owner as applications know it: what they have chosen, or the id that is stored. */
export const shownOwner = (owner: OwnerId): string => {
  if (!isChosenOwner(owner)) return owner;
  const chosen = owner.slice(0, -SUFFIX.length);
  return CLIENT_ID.test(chosen) ? owner : chosen;
};
