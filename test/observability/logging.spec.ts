import { LockUnavailableError } from '../../lib/errors.js';
import { LockEvents } from '../../lib/observability/lock-events.js';
import { logEvents } from '../../lib/observability/logging.js';

describe('The log', () => {
  it.each([
    ['acquire', 2, '2 permit(s) were taken from "s"', 'addPermits()'],
    ['drain', undefined, 'all permits were taken from "s"', 'addPermits()'],
    ['release', 3, '3 permit(s) were given back to "s"', 'addPermits()'],
    ['count-down', 1, 'one was counted down from "s"', 'countDown()'],
  ] as const)('D18: tells which %s was given up, of what, why, and what to do', (request, count, what, remedy) => {
    const lines: string[] = [];
    const events = new LockEvents();
    logEvents(events, {
      warn: (line) => void lines.push(`WARN ${line}`),
      error: (line) => void lines.push(`ERROR ${line}`),
    });
    const error = new LockUnavailableError('Redis did not answer', 'unknown', false);
    events.emit({ type: 'given-up', lockName: 's', request, count, error });
    expect(lines).toEqual([expect.stringMatching(/^ERROR Whether .* stays unknown: Redis did not answer; /)]);
    expect(lines[0]).toContain(what);
    expect(lines[0]).toContain(remedy);
  });
});
