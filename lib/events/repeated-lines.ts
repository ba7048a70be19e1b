import type { Scheduler } from '../time/scheduler.js';

/** How often a line that repeats is written, ms. */
const PERIOD_MS = 60_000;
/** Most lines whose repetitions are counted; further ones are written each time. */
const MOST_LINES = 100;

/** Writes a line. @param times How often the same line would have been written since the last time, if it was. */
type WriteLine = (times?: number) => void;

interface Repetition {
  /** How often it was written at once. */
  written: number;
  times: number;
  /** Writes the latest of them. */
  write: WriteLine;
}

/**
 * Writes a line at once, and while it repeats only once a minute, with the number of repetitions. Texts that differ only
 * in their numbers, such as times, count as one line.
 */
export class RepeatedLines {
  private readonly repetitions = new Map<string, Repetition>();

  constructor(private readonly scheduler: Pick<Scheduler, 'schedule'>) {}

  /** @param atOnce How often it is written before it is only counted. */
  write(text: string, write: WriteLine, atOnce = 1): void {
    const key = text.replaceAll(/\d+/g, '0');
    const known = this.repetitions.get(key);
    if (known && known.written < atOnce) {
      known.written += 1;
      write();
      return;
    }
    if (known) {
      known.times += 1;
      known.write = write;
      return;
    }
    if (this.repetitions.size < MOST_LINES) this.begin(key, { times: 0, written: 1, write });
    write();
  }

  private begin(key: string, repetition: Repetition): void {
    this.repetitions.set(key, repetition);
    this.scheduler.schedule(PERIOD_MS, () => {
      this.repetitions.delete(key);
      const { times, written, write } = repetition;
      if (times === 0) return;
      this.begin(key, { times: 0, written, write });
      write(times);
    });
  }
}
