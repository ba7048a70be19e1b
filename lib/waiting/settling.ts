import type { Acquisitions } from './acquirer.js';

/** What can be told of acquisitions, of whatever kind. */
export type Settling = Pick<Acquisitions<never, unknown>, 'settled' | 'contended'>;

/** The same of several together. */
export const settlingOf = (parts: readonly Settling[]): Settling => ({
  settled: async () => {
    await Promise.all(parts.map((part) => part.settled()));
  },
  get contended() {
    return parts.reduce((sum, part) => sum + part.contended, 0);
  },
});
