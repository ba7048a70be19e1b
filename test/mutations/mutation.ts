/** One change of one line of the engine. */
export interface Mutation {
  /** Path from the root of the repository. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly kind: string;
  /** The range of the file that `text` replaces. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The range of the expression that runs if this code runs; absent in Lua. */
  readonly probe?: readonly [start: number, end: number];
}

/** A mutation as people read and compare it: the line before and after, without line numbers, which drift. */
export interface Change {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

export const mutated = (source: string, { start, end, text }: Mutation): string =>
  source.slice(0, start) + text + source.slice(end);

const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** The lines that a mutation touches, before and after. */
export const changeOf = (source: string, mutation: Mutation): Change => {
  const { file, start, end, text } = mutation;
  const from = source.lastIndexOf('\n', start - 1) + 1;
  const next = source.indexOf('\n', end);
  const to = next === -1 ? source.length : next;
  const before = onOneLine(source.slice(from, to));
  return { file, before, after: onOneLine(source.slice(from, start) + text + source.slice(end, to)) };
};

export const isSameChange = (one: Change, other: Change): boolean =>
  one.file === other.file && one.before === other.before && one.after === other.after;
