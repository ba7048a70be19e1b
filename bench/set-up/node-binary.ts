import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';

/** A Node that workers can run in. */
export interface NodeBinary {
  /** As `process.version`. */
  readonly version: string;
  readonly path: string;
}

const VERSION = /^\d+(\.\d+){0,2}$/;

const running: NodeBinary = { version: process.version, path: process.execPath };

/**
 * Finds a Node of that version: the running one if it fits, otherwise that of npm's package `node`, which npx
 * downloads if need be.
 * @param wanted A version, or the beginning of one: `24`.
 */
export function nodeBinary(wanted: string): NodeBinary {
  if (!VERSION.test(wanted)) throw new Error(`--node: '${wanted}' is no version of Node`);
  if (`${process.version}.`.startsWith(`v${wanted}.`)) return running;
  const script = 'JSON.stringify({ version: process.version, path: process.execPath })';
  // In a folder of its own, npx takes neither packages nor settings of this project.
  const output = execFileSync('npx', ['-y', `node@${wanted}`, '-p', script], {
    ...{ cwd: tmpdir(), encoding: 'utf8' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output) as NodeBinary;
}

/** The Nodes of these versions. Without any: the running one. */
export const nodeBinaries = (versions: readonly string[]): readonly NodeBinary[] =>
  versions.length === 0 ? [running] : versions.map(nodeBinary);
