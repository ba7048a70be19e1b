import { Tally } from './tally.js';

const EVERY_MS = 5000;

/** Prints the progress of a long run now and then, and at its end. */
export function watchProgress(title: string, total: number, log: () => Promise<string[]>): () => Promise<void> {
  const start = performance.now();
  const report = async (): Promise<void> => {
    const tally = Tally.of(await log());
    const seconds = (performance.now() - start) / 1000;
    const pace = Math.round(tally.total / seconds);
    process.stdout.write(
      `${title}: ${tally.total} of ${total} sections in ${seconds.toFixed(1)} s, ${pace}/s; ${String(tally)}\n`,
    );
  };
  const timer = setInterval(() => void report(), EVERY_MS);
  return async () => {
    clearInterval(timer);
    await report();
  };
}
