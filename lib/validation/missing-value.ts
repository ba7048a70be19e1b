/** A missing value inside a word of its own, as in `undefined:lock:`; `null` only as a whole part between colons. */
const MISSING = /(?<![A-Za-z0-9])(undefined|NaN|\[object \w+\])(?![A-Za-z0-9])|(?<![^:])null(?![^:])/;

/** The missing value that has become part of a text, mostly by a template: `undefined` in `undefined:lock:`. */
export const missingValueIn = (text: string): string | undefined => MISSING.exec(text)?.[0];

/** The end of a sentence about an option that a missing environment variable may have filled. */
export const AS_IF_UNSET = ', as if an environment variable were not set';
