/** One place of a glob: any run of characters, or a test of one character. */
type GlobPlace = '*' | ((character: string) => boolean);

/** The test of a set such as `[a-c]` or `[^x]`, which begins at `start`, and the position after it. */
const setAt = (glob: readonly string[], start: number): { readonly place: GlobPlace; readonly next: number } => {
  let at = start + 1;
  const isNegated = glob[at] === '^';
  if (isNegated) at += 1;
  const ranges: (readonly [string, string])[] = [];
  while (at < glob.length && glob[at] !== ']') {
    if (glob[at] === '\\' && at + 1 < glob.length) at += 1;
    const first = glob[at] ?? '';
    const last = glob[at + 2];
    if (glob[at + 1] === '-' && last !== undefined) {
      ranges.push(first < last ? [first, last] : [last, first]);
      at += 3;
    } else {
      ranges.push([first, first]);
      at += 1;
    }
  }
  const place = (character: string): boolean =>
    ranges.some(([first, last]) => first <= character && character <= last) !== isNegated;
  return { place, next: at + 1 };
};

/** Redis compares bytes: here, each is one character. */
const bytesOf = (text: string): readonly string[] => Array.from(Buffer.from(text), (byte) => String.fromCharCode(byte));

const placesOf = (text: string): readonly GlobPlace[] => {
  const glob = bytesOf(text);
  const places: GlobPlace[] = [];
  for (let at = 0; at < glob.length; at += 1) {
    const found = glob[at];
    if (found === '*') {
      if (places.at(-1) !== '*') places.push('*');
    } else if (found === '?') {
      places.push(() => true);
    } else if (found === '[') {
      const { place, next } = setAt(glob, at);
      places.push(place);
      at = next - 1;
    } else {
      if (found === '\\' && at + 1 < glob.length) at += 1;
      const wanted = glob[at];
      places.push((character) => character === wanted);
    }
  }
  return places;
};

/**
 * A test of names by a glob as Redis reads it: `*`, `?`, `[abc]`, `[^a]`, `[a-z]`, and `\` before a character that stands
 * for itself. Takes time in proportion to the lengths of both at most, whatever the glob: nothing is tried by recursion.
 */
export const globMatcher = (glob: string): ((name: string) => boolean) => {
  const places = placesOf(glob);
  return (name) => {
    const characters = bytesOf(name);
    let [at, place] = [0, 0];
    /** Where to go on if a place does not match: after the last star, one character later. */
    let star: { readonly place: number; at: number } | undefined;
    while (at < characters.length) {
      const test = places[place];
      if (test === '*') {
        star = { place, at };
        place += 1;
      } else if (test?.(characters[at] ?? '')) {
        at += 1;
        place += 1;
      } else if (star) {
        star.at += 1;
        at = star.at;
        place = star.place + 1;
      } else {
        return false;
      }
    }
    return places.slice(place).every((rest) => rest === '*');
  };
};

/** The text as a glob that matches only itself. */
export const globOf = (text: string): string => text.replaceAll(/[*?[\]\\^]/g, (special) => `\\${special}`);
