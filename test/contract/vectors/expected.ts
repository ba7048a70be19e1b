import type { RedisData, RedisValue } from './redis-data.js';
import { type ExpectedKey, instant, type Spelled, type Vector } from './vector.js';

/** Redisson's protection of a release that is sent twice, private to one call. This library has none. */
const UNLOCK_LATCH = 'redisson_unlock_latch:';

const between = (min: number, max: number): unknown => ({
  asymmetricMatch: (value: unknown) => value !== '' && Number(value) >= min && Number(value) <= max,
  toAsymmetricMatcher: () => `${min}..${max}`,
});

const at = (value: string | number, now: number): number => instant(String(value), now) ?? Number(value);

const isRange = (value: unknown): value is readonly [string | number, string | number] =>
  Array.isArray(value) && value.length === 2 && value.every((end) => String(end).startsWith('NOW') || Number(end) > 1);

const spelled = (value: Spelled, now: number): unknown => {
  if (isRange(value)) return between(at(value[0], now), at(value[1], now));
  return String(instant(String(value), now) ?? value);
};

const expectedValue = ({ value }: ExpectedKey, now: number): unknown => {
  if (typeof value === 'string' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([member, of]) => [member, spelled(of, now)]));
};

const expectedKey = (key: ExpectedKey, now: number): unknown => ({
  type: key.type,
  value: expectedValue(key, now),
  ttl: key.ttl === 'none' ? -1 : between(...key.ttl),
});

/** @param now The start of the vector, by the clock of the operation. */
export const expectState = (data: RedisData, { state }: Pick<Vector, 'state'>, now: number): void => {
  const required = Object.entries(state).filter(([, key]) => key.optional !== true);
  const names = new Set(required.map(([name]) => name));
  const counted = Object.entries(data).filter(([name]) => names.has(name) || !name.startsWith(UNLOCK_LATCH));
  expect(Object.fromEntries<RedisValue>(counted)).toEqual(
    Object.fromEntries(required.map(([name, key]) => [name, expectedKey(key, now)])),
  );
};

export const expectReturned = (returned: unknown, { returns }: Pick<Vector, 'returns'>, now: number): void => {
  const expected = (value: unknown): unknown => {
    if (isRange(value)) return between(at(value[0], now), at(value[1], now));
    if (typeof value === 'string') return instant(value, now) ?? value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, expected(inner)]));
  };
  expect(returned).toEqual(expected(returns));
};
