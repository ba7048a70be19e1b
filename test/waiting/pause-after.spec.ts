import { LockUnavailableError } from '../../lib/errors.js';
import { pauseAfter } from '../../lib/waiting/wake-signal.js';

const SILENT = new LockUnavailableError('no reply', 'unknown', false);

describe('The pause after an attempt', () => {
  it.each([
    { title: 'a lease of 300 ms', seen: { holder: 'x', remaining: 300 }, from: 301, to: 306 },
    { title: 'a lease that ends now', seen: { holder: 'x', remaining: 0 }, from: 1, to: 6 },
    { title: 'no answer', seen: SILENT, from: 50, to: 150 },
    { title: 'no answer for the second time', seen: SILENT, unanswered: 2, from: 100, to: 300 },
    { title: 'no answer for the fourth time', seen: SILENT, unanswered: 4, from: 300, to: 900 },
    { title: 'no answer for the hundredth time', seen: SILENT, unanswered: 100, from: 300, to: 900 },
  ])('is $from to $to ms long, spread over that range, after it found $title', ({ seen, from, to, unanswered = 1 }) => {
    const pauses = Array.from({ length: 500 }, () => pauseAfter(seen, unanswered));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(from);
    expect(Math.max(...pauses)).toBeLessThan(to);
    expect(Math.max(...pauses) - Math.min(...pauses)).toBeGreaterThan(0.8 * (to - from));
  });

  it('has no end after it found a state that does not change by itself', () => {
    expect(pauseAfter({ available: 0, remaining: -1 }, 0)).toBe(Number.POSITIVE_INFINITY);
  });
});
