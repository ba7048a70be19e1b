import { LockOptionsError } from '../../lib/errors.js';
import {
  type Backoff,
  constantBackoff,
  exponentialBackoff,
  BackoffSequence,
  parseBackoff,
} from '../../lib/waiting/backoff.js';

const pausesOf = (backoff: Backoff, count: number): number[] => {
  const pace = new BackoffSequence(backoff);
  return Array.from({ length: count }, () => pace.next());
};

describe('A backoff', () => {
  it('SP-10 grows with a jitter that never lifts it past its maximum', () => {
    const seen = Array.from({ length: 200 }, () =>
      pausesOf(exponentialBackoff({ initial: 10, max: 100, multiplier: 3 }), 6),
    );
    for (const [first, second, third = 0, ...rest] of seen) {
      expect([first, second]).toEqual([10, 30]);
      expect([90, 91]).toContain(third);
      expect(rest).toEqual([100, 100, 100]);
    }
    expect(new Set(seen.map(([, , third]) => third)).size).toBe(2);
  });

  it('SP-10 starts again for each acquisition', () => {
    const backoff = exponentialBackoff({ initial: 10, max: 100, multiplier: 3 });
    expect(pausesOf(backoff, 2)).toEqual([10, 30]);
    expect(pausesOf(backoff, 2)).toEqual([10, 30]);
  });

  it('SP-11 stays the same where it is constant', () => {
    expect(pausesOf(constantBackoff(30), 10)).toEqual(Array.from({ length: 10 }, () => 30));
  });

  it('SP-13 has defaults of 1 ms, 128 ms and 2, and of 64 ms', () => {
    const pauses = pausesOf(exponentialBackoff(), 20);
    expect(pauses.slice(0, 2)).toEqual([1, 2]);
    expect(pauses[2]).toBeGreaterThanOrEqual(4);
    expect(pauses[2]).toBeLessThanOrEqual(5);
    expect(Math.max(...pauses)).toBe(128);
    expect(pauses.slice(8)).toEqual(Array.from({ length: 12 }, () => 128));
    expect(pausesOf(constantBackoff(), 1)).toEqual([64]);
  });

  it.each([0, -1, Number.NaN, '0ms'])('SP-13 refuses pauses and multipliers of %p', (bad) => {
    const value = bad as number;
    for (const option of ['initial', 'max', 'multiplier'] as const) {
      const made = (): Backoff => exponentialBackoff({ [option]: value });
      expect(made).toThrow(LockOptionsError);
    }
    expect(() => constantBackoff(value)).toThrow(LockOptionsError);
  });

  it('SP-13 refuses a multiplier that would shrink the pauses', () => {
    expect(() => exponentialBackoff({ multiplier: 0.5 })).toThrow('multiplier must be a number of at least 1, not 0.5');
  });

  it('may be any function that returns pauses, of which the last is repeated', () => {
    expect(pausesOf(() => [1, 5, 25], 5)).toEqual([1, 5, 25, 25, 25]);
  });

  it.each([
    ['no function', 64],
    ['nothing', undefined],
  ])('is refused where it is %s', (_, value) => {
    expect(() => parseBackoff(value)).toThrow(LockOptionsError);
  });

  it.each<[string, Backoff]>([
    ['gives no pause', () => []],
    ['gives nothing', (() => undefined) as unknown as Backoff],
    ['gives a pause of 0', () => [0]],
    ['gives a pause without end', () => [Number.POSITIVE_INFINITY]],
    ['gives text', (() => ['5']) as unknown as Backoff],
    [
      'throws',
      () => {
        throw new Error('no pause today');
      },
    ],
  ])('is refused before anything is sent where it %s', (_, backoff) => {
    expect(() => new BackoffSequence(backoff)).toThrow(LockOptionsError);
  });
});
