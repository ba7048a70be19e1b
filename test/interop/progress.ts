import { SectionCounts } from './section-counts.js';

const EVERY_MS = 5000;

/** Prints the progress of a long run now and then, and at its end. */
export function watchProgress(title: string, total: number, log: () => Promise<string[]>): () => Promise<void> {
  const start = performance.now();
  const report = async (): Promise<void> => {
    const counts = SectionCounts.of(await log());
    const seconds = (performance.now() - start) / 1000;
    const pace = Math.round(counts.total / seconds);
    process.stdout.write(
      `${title}: ${counts.total} of ${total} sections in ${seconds.toFixed(1)} s, ${pace}/s; ${String(counts)}\n`,
    );
  };
  const timer = setInterval(() => void report(), EVERY_MS);
  return async () => {
    clearInterval(timer);
    await report();
  };
}
