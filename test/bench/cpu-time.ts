import { readFileSync } from 'node:fs';

/** Linux counts the time of processes in hundredths of a second, whatever its kernel was built with. */
const MS_PER_TICK = 10;
/** Fields 14 and 15 of the line; the name, which may contain blanks, is the second one. */
const USER = 11;
const SYSTEM = 12;

/** What a process has used of the processors so far, ms. */
export function cpuTime(pid: number): number {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER]) + Number(fields[SYSTEM])) * MS_PER_TICK;
}
