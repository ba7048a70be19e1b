import type { Mutation } from './mutation.js';

/** Mulberry32: a small generator with one seed. */
const random = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Draws lines, and one change of each: a line with many operators is as likely as one with a single call. */
export const drawn = (all: readonly Mutation[], count: number, seed: number): readonly Mutation[] => {
  const next = random(seed);
  const byLine = new Map<string, Mutation[]>();
  for (const mutation of all) {
    const place = `${mutation.file}:${mutation.line}`;
    byLine.set(place, [...(byLine.get(place) ?? []), mutation]);
  }
  const lines = [...byLine.values()];
  const sample: Mutation[] = [];
  while (sample.length < count && lines.length > 0) {
    const [line = []] = lines.splice(Math.floor(next() * lines.length), 1);
    const mutation = line[Math.floor(next() * line.length)];
    if (mutation) sample.push(mutation);
  }
  return sample;
};
