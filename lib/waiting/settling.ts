import type { Acquirer } from './acquirer.js';

/** What can be told of acquisitions, of whatever kind. */
export type Drainable = Pick<Acquirer<never, unknown>, 'settled' | 'contended'>;

/** The same of several together. */
export const drainAll = (parts: readonly Drainable[]): Drainable => ({
  settled: async () => {
    await Promise.all(parts.map((part) => part.settled()));
  },
  get contended() {
    return parts.reduce((sum, part) => sum + part.contended, 0);
  },
});
