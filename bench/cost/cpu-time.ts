import { readFileSync } from 'node:fs';

/** Linux reports the time of processes in hundredths of a second with every kernel. */
const MS_PER_TICK = 10;
/** Fields 14 and 15 of the line, counted after the name, which is the second field and may contain blanks. */
const USER = 11;
const SYSTEM = 12;

/** Processor time that a process has used so far, ms. */
export function cpuTime(pid: number): number {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER]) + Number(fields[SYSTEM])) * MS_PER_TICK;
}
