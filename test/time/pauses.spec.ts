import { ManualClock } from '../../lib/testing/manual-clock.js';
import { abortablePause } from '../../lib/time/abortable-pause.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { WaitLimit } from '../../lib/time/wait-limit.js';
import { track } from '../kit/time.js';

const open = (wait = 1000) => {
  const clock = new ManualClock();
  const scheduler = new MonotonicScheduler(clock, () => {});
  const [own, shutdown] = [new AbortController(), new AbortController()];
  const limit = new WaitLimit(scheduler, wait, [own.signal]).withShutdown(shutdown.signal);
  const pauses = { limited: () => limit.pause(400), abortable: () => abortablePause(scheduler, 400, own.signal) };
  return { clock, own, shutdown, pauses };
};

describe('A pause', () => {
  it.each([
    ['by itself', 'limited', 1000, 400],
    ['with the wait', 'limited', 300, 300],
    ['by itself', 'abortable', 1000, 400],
  ] as const)('ends %s, and leaves no timer and no listener behind (%s)', async (_, kind, wait, end) => {
    const { clock, own, pauses } = open(wait);
    const listeners = new Set<unknown>();
    jest.spyOn(own.signal, 'addEventListener').mockImplementation((__, listener) => void listeners.add(listener));
    jest.spyOn(own.signal, 'removeEventListener').mockImplementation((__, listener) => void listeners.delete(listener));
    const pause = track(pauses[kind]());
    expect(listeners.size).toBe(1);
    await clock.advance(end - 1);
    expect(pause.settled).toBe(false);
    await clock.advance(1);
    expect(pause.settled).toBe(true);
    expect(listeners.size).toBe(0);
    // The timer that all deadlines share goes off once more.
    await clock.advance(wait);
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['own', 'limited'],
    ['shutdown', 'limited'],
    ['own', 'abortable'],
  ] as const)('ends at once with an abort by the signal %s, also an earlier one (%s)', async (which, kind) => {
    const opened = open();
    const pause = track(opened.pauses[kind]());
    opened[which].abort();
    await opened.clock.advance(0);
    expect(pause.settled).toBe(true);
    const late = track(opened.pauses[kind]());
    await opened.clock.advance(0);
    expect(late.settled).toBe(true);
    expect(opened.clock.pending).toBeLessThanOrEqual(kind === 'abortable' ? 0 : 1);
    await opened.clock.advance(1000);
    expect(opened.clock.pending).toBe(0);
  });
});
