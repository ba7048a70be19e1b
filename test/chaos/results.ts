import { cpus } from 'node:os';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Row } from './table.js';

const PAGE = new URL('../../docs/safety/faults.md', import.meta.url);
const RESULTS = new URL('./results/', import.meta.url);
const BEGIN = '<!-- chaos: begin -->';
const END = '<!-- chaos: end -->';

export interface HowRun {
  readonly long: boolean;
  readonly runs: number;
  readonly seed: number;
}

/** Stores the results of a run as JSON, and as the table on the page of the faults. */
export const keepResults = (rows: readonly Row[], table: string, how: HowRun): void => {
  const machine = { node: process.version, cores: cpus().length };
  const name = how.long ? 'long' : 'short';
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(new URL(`${name}.json`, RESULTS), `${JSON.stringify({ ...how, machine, rows }, undefined, 2)}\n`);
  const page = readFileSync(PAGE, 'utf8');
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from === -1 || to === -1) throw new Error(`docs/safety/faults.md has no ${BEGIN} … ${END}`);
  writeFileSync(PAGE, `${page.slice(0, from + BEGIN.length)}\n\n${table}\n\n${page.slice(to)}`);
};
