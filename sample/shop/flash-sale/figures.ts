import { soldPerArticle } from '../inventory/sold.js';
import { articleKey, type StockLevel } from '../inventory/article.js';
import type { OrderRequest } from '../orders/order.js';
import type { Sale } from './sale.js';

/** A sale in numbers. */
export interface Figures {
  readonly accepted: number;
  readonly refused: number;
  readonly failed: number;
  readonly itemsSold: number;
  readonly stockLeft: number;
  readonly oversold: number;
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export function figuresOf({ offer, attempts, left, seconds }: Sale): Figures {
  const count = (outcome: string): number => attempts.filter((attempt) => attempt.outcome === outcome).length;
  const accepted = attempts.filter(({ outcome }) => outcome === 'accepted').map(({ request }) => request);
  const latencies = attempts.map(({ ms }) => ms);
  return {
    accepted: accepted.length,
    refused: count('refused'),
    failed: count('failed'),
    itemsSold: sum([...soldPerArticle(accepted).values()]),
    stockLeft: sum(left.map(({ stock }) => stock)),
    oversold: oversold(offer, accepted),
    requestsPerSecond: attempts.length / seconds,
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
  };
}

/**
 * Items sold beyond the stock, for each article: a surplus of one does not make up for another. Counted from the orders,
 * since the stock itself may be wrong.
 */
export function oversold(offer: readonly StockLevel[], accepted: readonly OrderRequest[]): number {
  const offered = new Map(offer.map((level) => [articleKey(level), level.stock]));
  const sold = [...soldPerArticle(accepted)];
  return sum(sold.map(([key, quantity]) => Math.max(0, quantity - (offered.get(key) ?? 0))));
}

/** The smallest value that `percent` of all values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;
}

/** How many requests each process of the shop answered. */
export function answeredPerProcess({ attempts }: Sale): ReadonlyMap<string, number> {
  const answered = new Map<string, number>();
  for (const { process } of attempts) answered.set(process, (answered.get(process) ?? 0) + 1);
  return new Map([...answered].toSorted(([a], [b]) => a.localeCompare(b)));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
