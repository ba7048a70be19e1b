import { readFileSync } from 'node:fs';

/** Linux reports the time of processes in hundredths of a second with every kernel. */
export const MS_PER_TICK = 10;
/** Fields 14 and 15 of the line. */
const USER = 11;
const SYSTEM = 12;

/** The fields of `/proc/<pid>/stat` after the name, which is the second one, in brackets, and may contain blanks. */
export const fieldsOf = (line: string): readonly string[] => line.slice(line.lastIndexOf(')') + 2).split(' ');

/** Processor time that a process has used so far, ms. */
export function cpuTime(pid: number): number {
  const fields = fieldsOf(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return (Number(fields[USER]) + Number(fields[SYSTEM])) * MS_PER_TICK;
}
