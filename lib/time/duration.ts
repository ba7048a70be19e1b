import { LockOptionsError } from '../errors.js';
import { formatValue } from '../validation/format-value.js';

/** Milliseconds as an integer, or an integer with its unit: `'500ms'`, `'30s'`, `'5m'`, `'1h'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h'}`;

/** Limits of a duration, in milliseconds, both inclusive. */
interface DurationRange {
  readonly min: number;
  readonly max: number;
  /** Whether `Infinity` is allowed in addition to the range. Default: no. */
  readonly infinity?: boolean;
}

/** The longest delay that both Node's timers and every Redis version accept: 24.8 days. */
export const MAX_DURATION = 2 ** 31 - 1;

const UNITS = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** No sign, blank, fraction or exponent: text that only resembles a number must not become a lease by accident. */
const GRAMMAR = /^(?<amount>\d+)(?<unit>ms|s|m|h)$/;

/**
 * Milliseconds of a {@link Duration}.
 *
 * @param option The option's name as the user wrote it, for the message.
 * @throws LockOptionsError for any other value; `details` has `option` and `value`.
 */
export function parseDuration(value: unknown, option: string, range: DurationRange): number {
  const ms = typeof value === 'string' ? millisecondsOf(value) : value;
  if (typeof ms !== 'number' || !isAllowed(ms, value, range)) {
    const infinity = range.infinity ? ', Infinity,' : '';
    throw new LockOptionsError(
      `${option} must be an integer number of milliseconds from ${range.min} to ${range.max}${infinity}` +
        ` or a string such as "500ms", "30s", "5m" or "1h" in that range, but it was ${formatValue(value)}`,
      { details: { option, value } },
    );
  }
  // Turns -0 into 0.
  return ms + 0;
}

/**
 * Milliseconds of a lease: 10 … 2^31 − 1.
 * @throws LockOptionsError
 */
export function parseLease(value: unknown, option: string): number {
  return parseDuration(value, option, { min: 10, max: MAX_DURATION });
}

/**
 * Milliseconds of a wait limit: 0 … 2^31 − 1, or `Infinity`.
 * @throws LockOptionsError
 */
export function parseWait(value: unknown, option: string): number {
  return parseDuration(value, option, { min: 0, max: MAX_DURATION, infinity: true });
}

function isAllowed(ms: number, value: unknown, { min, max, infinity = false }: DurationRange): boolean {
  if (value === Infinity) return infinity;
  return Number.isInteger(ms) && ms >= min && ms <= max;
}

function millisecondsOf(text: string): number | undefined {
  const { amount, unit } = GRAMMAR.exec(text)?.groups ?? {};
  const factor = UNITS.get(unit ?? '');
  return factor === undefined ? undefined : Number(amount) * factor;
}
