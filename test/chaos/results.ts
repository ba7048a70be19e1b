import { cpus } from 'node:os';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Row } from './table.js';

const README = new URL('../../README.md', import.meta.url);
const RESULTS = new URL('./results/', import.meta.url);
const BEGIN = '<!-- chaos: begin -->';
const END = '<!-- chaos: end -->';

export interface HowRun {
  readonly long: boolean;
  readonly runs: number;
  readonly seed: number;
}

/** Stores the results of a run as JSON, and as the table in the README. */
export const keepResults = (rows: readonly Row[], table: string, how: HowRun): void => {
  const machine = { node: process.version, cores: cpus().length };
  const name = how.long ? 'long' : 'short';
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(new URL(`${name}.json`, RESULTS), `${JSON.stringify({ ...how, machine, rows }, undefined, 2)}\n`);
  const readme = readFileSync(README, 'utf8');
  const [from, to] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (from === -1 || to === -1) throw new Error(`The README has no ${BEGIN} … ${END}`);
  writeFileSync(README, `${readme.slice(0, from + BEGIN.length)}\n\n${table}\n\n${readme.slice(to)}`);
};
