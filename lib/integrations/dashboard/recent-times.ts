import type { ShownTimes } from './dashboard-snapshot.types.js';

/** Length of one period, ms, and how many of them are kept: five minutes. */
const PERIOD_MS = 5000;
const PERIODS = 60;

interface Period {
  /** Which one it is since the origin of the clock. */
  readonly number: number;
  count: number;
  sum: number;
  longest: number;
}

/** The times of the last five minutes, summed up in periods of five seconds: of bounded size, however many there are. */
export class RecentTimes {
  private readonly periods: Period[] = [];

  /** @param at Reading of a clock that never goes back, ms. */
  add(ms: number, at: number): void {
    const number = Math.floor(at / PERIOD_MS);
    let period = this.periods.at(-1);
    if (period?.number !== number) {
      period = { number, count: 0, sum: 0, longest: 0 };
      this.periods.push(period);
      if (this.periods.length > PERIODS) this.periods.shift();
    }
    period.count += 1;
    period.sum += ms;
    period.longest = Math.max(period.longest, ms);
  }

  shown(at: number): ShownTimes {
    const first = Math.floor(at / PERIOD_MS) - PERIODS + 1;
    const recent = this.periods.filter(({ number }) => number >= first);
    const bars = Array.from({ length: PERIODS }, () => -1);
    let [count, sum] = [0, 0];
    for (const period of recent) {
      bars[period.number - first] = Math.round(period.longest);
      count += period.count;
      sum += period.sum;
    }
    return { average: count === 0 ? 0 : Math.round(sum / count), longest: Math.max(0, ...bars), bars };
  }

  /** How many times there were in the last five minutes. */
  count(at: number): number {
    const first = Math.floor(at / PERIOD_MS) - PERIODS + 1;
    return this.periods.reduce((sum, { number, count }) => (number >= first ? sum + count : sum), 0);
  }
}
