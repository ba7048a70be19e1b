import type { WriteStream } from 'node:tty';

const COUNT_STEP = 100;

/** Short lines on stderr; on a terminal a count is updated in place. */
export class Progress {
  private counting = false;

  constructor(private readonly stream: Pick<WriteStream, 'isTTY' | 'write'> = process.stderr) {}

  step(line: string): void {
    this.endCount();
    this.stream.write(`${line}\n`);
  }

  count(what: string, done: number, total: number): void {
    const text = `${what} ${done} of ${total}`;
    if (this.stream.isTTY) {
      this.stream.write(`\r\u001b[K${text}`);
      this.counting = true;
      if (done === total) this.endCount();
    } else if (done % COUNT_STEP === 0 || done === total) {
      this.stream.write(`${text}\n`);
    }
  }

  private endCount(): void {
    if (this.counting) this.stream.write('\n');
    this.counting = false;
  }
}
