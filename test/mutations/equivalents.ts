import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Change, isSameChange } from './mutation.js';

/** A change that nobody can notice, and why. */
export interface Equivalent extends Change {
  readonly why: string;
}

const FILE = fileURLToPath(new URL('./equivalents.json', import.meta.url));

export const equivalents = JSON.parse(readFileSync(FILE, 'utf8')) as readonly Equivalent[];

export const equivalentTo = (change: Change): Equivalent | undefined =>
  equivalents.find((each) => isSameChange(each, change));
