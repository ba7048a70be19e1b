import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessPart } from './turns.js';

/** What Java and two Node processes had of one lock. */
export interface ShareRow {
  /** Of Redisson. */
  readonly version: string;
  /** Whether the Node processes pass the lock on to clients that wait. */
  readonly grants: 'on' | 'off';
  readonly sectionMs: number;
  /** Of Java, and of the Node processes. */
  readonly parts: readonly ProcessPart[];
}

export const SHARES_FILE = 'test/interop/java-share.json';

/** Stores the rows, from which a table of docs/redisson.md is checked, if the run was asked to. */
export function writeShares(rows: readonly ShareRow[]): void {
  if (process.env['WRITE_JAVA_SHARE'] === undefined) return;
  writeFileSync(join(process.cwd(), SHARES_FILE), `${JSON.stringify({ rows }, undefined, 2)}\n`);
}
