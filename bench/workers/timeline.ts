import { readFileSync, writeFileSync } from 'node:fs';

/** One acquisition of a loop: the instants of request, grant and beginning of release, nanoseconds. */
export interface Acquisition {
  readonly process: number;
  readonly loop: number;
  readonly asked: number;
  readonly granted: number;
  readonly released: number;
}

const NUMBERS = 4;

/** The acquisitions of one process, in order. The file contains them as doubles in the byte order of the machine. */
export class Timeline {
  private readonly numbers: number[] = [];

  add(loop: number, asked: number, granted: number, released: number): void {
    this.numbers.push(loop, asked, granted, released);
  }

  write(file: string): void {
    writeFileSync(file, new Uint8Array(Float64Array.from(this.numbers).buffer));
  }
}

/** Reads the acquisitions that processes wrote, sorted by the instant of the grant. */
export function readTimelines(files: readonly string[]): Acquisition[] {
  return files.flatMap(readTimeline).toSorted((one, other) => one.granted - other.granted);
}

function readTimeline(file: string, process: number): Acquisition[] {
  const bytes = readFileSync(file);
  const numbers = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  const acquisitions: Acquisition[] = [];
  for (let at = 0; at + NUMBERS <= numbers.length; at += NUMBERS) {
    const [loop = 0, asked = 0, granted = 0, released = 0] = numbers.subarray(at, at + NUMBERS);
    acquisitions.push({ process, loop, asked, granted, released });
  }
  return acquisitions;
}
