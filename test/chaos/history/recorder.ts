import { openSync, writeSync } from 'node:fs';
import type { Entry } from './entry.js';

/** Appends to a history, line by line and at once, so that the lines survive the process. */
export class Recorder {
  private readonly file: number;

  constructor(path: string) {
    this.file = openSync(path, 'a');
  }

  note(entry: Entry): void {
    writeSync(this.file, `${JSON.stringify(entry)}\n`);
  }
}
