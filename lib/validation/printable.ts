/** Characters that could end a line, hide text or change its direction, and lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

const escape = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : escapeUnit(code);
};

const escapeUnit = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;

const escapeUnits = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join('');

/** The text with each such character as its code, `\u001b`: it stays on its line and controls no terminal. */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE, escape);

/**
 * The value as one line of JSON that controls no terminal either: JSON itself leaves DEL, C1 controls and marks of
 * direction as they are. Bigints become text.
 */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each)).replaceAll(
    UNPRINTABLE,
    escapeUnits,
  );
