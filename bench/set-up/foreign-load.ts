import { readdirSync, readFileSync } from 'node:fs';
import { fieldsOf, MS_PER_TICK } from '../cost/cpu-time.js';

/** The most load of others, in percent of a core, with which a measurement counts. */
export const MOST_FOREIGN_LOAD = 10;

/** A line of `/proc/<pid>/stat`. */
interface ProcessTime {
  readonly pid: number;
  readonly parent: number;
  /** Ticks, with those of children that have ended. */
  readonly ticks: number;
}

export function parseProcess(line: string): ProcessTime {
  const [, parent = '', ...fields] = fieldsOf(line);
  const times = fields.slice(9, 13).map(Number);
  return {
    pid: Number.parseInt(line, 10),
    parent: Number(parent),
    ticks: times.reduce((sum, each) => sum + each, 0),
  };
}

/** Time that the host of a virtual machine gave to others while there was work here: field 8 of the line `cpu`. */
export const parseStolen = (text: string): number => Number(/^cpu +(?:\d+ +){7}(\d+)/m.exec(text)?.[1] ?? 0);

/** Ticks of the processes that neither are the given one nor descend from it. */
export function ticksOfOthers(processes: readonly ProcessTime[], own: number): number {
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  const isOwn = (pid: number | undefined): boolean => pid !== undefined && (pid === own || isOwn(parents.get(pid)));
  return processes.filter(({ pid }) => !isOwn(pid)).reduce((sum, { ticks }) => sum + ticks, 0);
}

function runningProcesses(): readonly ProcessTime[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [parseProcess(readFileSync(`/proc/${pid}/stat`, 'utf8'))];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}

const foreignTicks = (): number =>
  ticksOfOthers(runningProcesses(), process.pid) + parseStolen(readFileSync('/proc/stat', 'utf8'));

/**
 * Executes work and resolves also with the load that was not its own: processor time of other programs, and time that
 * the host of a virtual machine took, in percent of one core.
 */
export async function withForeignLoad<Result>(work: () => Promise<Result>): Promise<readonly [Result, number]> {
  const [ticks, start] = [foreignTicks(), performance.now()];
  const result = await work();
  const ms = performance.now() - start;
  return [result, Math.max(0, (((foreignTicks() - ticks) * MS_PER_TICK) / ms) * 100)];
}
