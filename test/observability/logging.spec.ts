import { LockUnavailableError } from '../../lib/errors.js';
import { LockEvents } from '../../lib/events/lock-events.js';
import { logEvents } from '../../lib/events/event-log.js';

describe('The log', () => {
  it.each([
    ['acquire', 2, '2 permit(s) were taken from "s"', 'addPermits()'],
    ['drain', undefined, 'all permits were taken from "s"', 'addPermits()'],
    ['release', 3, '3 permit(s) were given back to "s"', 'addPermits()'],
    ['count-down', 1, 'one count was taken from "s"', 'countDown()'],
  ] as const)('D18: reports a %s that was given up, with name, reason and remedy', (request, count, what, remedy) => {
    const lines: string[] = [];
    const events = new LockEvents();
    logEvents(events, {
      log: (line) => void lines.push(`LOG ${line}`),
      warn: (line) => void lines.push(`WARN ${line}`),
      error: (line) => void lines.push(`ERROR ${line}`),
    });
    const error = new LockUnavailableError('Redis did not answer', 'unknown', false);
    events.emit({ type: 'given-up', lockName: 's', request, count, error });
    expect(lines).toEqual([expect.stringMatching(/^ERROR Whether .* is unknown: Redis did not answer; /)]);
    expect(lines[0]).toContain(what);
    expect(lines[0]).toContain(remedy);
  });

  it.each([
    ['all-locks', false, 'Until it is back, locks fail with LockUnavailableError, 503 over HTTP'],
    ['all-locks', true, 'Until this is fixed, locks fail with LockUnavailableError, 503 over HTTP'],
    [
      'its-slots',
      false,
      'Until it is back or replaced, locks in its slots fail with LockUnavailableError, 503 over HTTP',
    ],
    ['its-vote', false, 'Until it is back, getRedLock(name) decides without it'],
  ] as const)('D31: reports the consequence of an outage of %s, permanent: %p', (affects, permanent, consequence) => {
    const lines: string[] = [];
    const events = new LockEvents();
    const note = (line: string): void => void lines.push(line);
    logEvents(events, { log: () => {}, warn: () => {}, error: note });
    const error = new LockUnavailableError('No connection', 'not-sent', permanent);
    events.emit({ type: 'unavailable', server: 'redis:6379', reason: 'Redis at redis:6379 is gone', affects, error });
    expect(lines).toEqual([`Redis at redis:6379 is gone. ${consequence}`]);
  });

  it.each([
    [400, false, 'Redis at redis:6379 is back after 400 ms'],
    [14_200, false, 'Redis at redis:6379 is back after 14.2 s'],
    [4000, true, 'Redis at redis:6379 is replaced after 4 s'],
  ])('D31: reports the end of an outage of %d ms, replaced: %p', (after, isReplaced, expected) => {
    const lines: string[] = [];
    const events = new LockEvents();
    const note = (line: string): void => void lines.push(line);
    logEvents(events, { log: note, warn: () => {}, error: () => {} });
    events.emit({ type: 'available', server: 'redis:6379', after, isReplaced });
    expect(lines).toEqual([expected]);
  });
});
