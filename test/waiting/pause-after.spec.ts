import { LockUnavailableError } from '../../lib/errors.js';
import { pauseAfter } from '../../lib/waiting/pause-after.js';

describe('The pause after an attempt', () => {
  it.each([
    { title: 'a lease of 300 ms', seen: { holder: 'x', remaining: 300 }, from: 301, to: 306 },
    { title: 'a lease that ends now', seen: { holder: 'x', remaining: 0 }, from: 1, to: 6 },
    { title: 'no answer', seen: new LockUnavailableError('no reply', 'unknown', false), from: 50, to: 150 },
  ])('is $from to $to ms long, spread over that range, after it found $title', ({ seen, from, to }) => {
    const pauses = Array.from({ length: 500 }, () => pauseAfter(seen));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(from);
    expect(Math.max(...pauses)).toBeLessThan(to);
    expect(Math.max(...pauses) - Math.min(...pauses)).toBeGreaterThan(0.8 * (to - from));
  });

  it('has no end after it found a state that does not change by itself', () => {
    expect(pauseAfter({ available: 0, remaining: -1 })).toBe(Number.POSITIVE_INFINITY);
  });
});
