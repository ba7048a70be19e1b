import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { untilLastLook, WakeSignal } from '../../lib/waiting/wake-signal.js';

describe('A wake signal', () => {
  const setUp = () => {
    const clock = new ManualClock();
    const signal = new WakeSignal(new MonotonicScheduler(clock, () => {}));
    /** The instants at which sleeps ended. */
    const ends: number[] = [];
    const sleep = (ms: number): void => void signal.sleep(ms).then(() => ends.push(clock.now()));
    return { clock, signal, ends, sleep };
  };

  it('lets a sleep end by itself, which leaves no notification for the next sleep', async () => {
    const { clock, ends, sleep } = setUp();
    sleep(100);
    await clock.advance(99);
    expect(ends).toEqual([]);
    await clock.advance(1);
    expect(ends).toEqual([100]);
    sleep(100);
    await clock.advance(200);
    expect(ends).toEqual([100, 200]);
  });

  it.each([1, 2])('ends a sleep when notified (times: %d), and leaves no timer', async (times) => {
    const { clock, signal, ends, sleep } = setUp();
    sleep(100);
    await clock.advance(40);
    for (let count = 0; count < times; count += 1) signal.notify();
    await clock.advance(0);
    expect(ends).toEqual([40]);
    expect(clock.pending).toBe(0);
    // One sleep uses up all notifications before its end.
    sleep(100);
    await clock.advance(100);
    expect(ends).toEqual([40, 140]);
  });

  it('keeps a notification for the next sleep if none is under way', async () => {
    const { clock, signal, ends, sleep } = setUp();
    signal.notify();
    signal.notify();
    sleep(100);
    await clock.advance(0);
    expect(ends).toEqual([0]);
    expect(clock.pending).toBe(0);
    sleep(100);
    await clock.advance(100);
    expect(ends).toEqual([0, 100]);
  });

  it('drops a kept notification when told to forget it', async () => {
    const { clock, signal, ends, sleep } = setUp();
    signal.notify();
    signal.forget();
    sleep(100);
    await clock.advance(100);
    expect(ends).toEqual([100]);
  });

  it('ends a sleep although the notification is forgotten before the sleeper runs again', async () => {
    const { clock, signal, ends, sleep } = setUp();
    sleep(100);
    signal.notify();
    signal.forget();
    await clock.advance(0);
    expect(ends).toEqual([0]);
  });

  it('is not notified by the timer of a sleep that ended early', async () => {
    const { clock, signal, ends, sleep } = setUp();
    sleep(50);
    signal.notify();
    await clock.advance(0);
    sleep(100);
    await clock.advance(100);
    expect(ends).toEqual([0, 100]);
  });

  it('sleeps without limit until it is notified', async () => {
    const { clock, signal, ends, sleep } = setUp();
    sleep(Number.POSITIVE_INFINITY);
    await clock.advance(1_000_000);
    expect(ends).toEqual([]);
    signal.notify();
    await clock.advance(0);
    expect(ends).toEqual([1_000_000]);
  });
});

describe('The last attempt of a waiter', () => {
  it.each([
    { wait: 1000, waited: 0, ms: 980 },
    { wait: 1000, waited: 899, ms: 81 },
    { wait: 101, waited: 0, ms: 81 },
    { wait: 100, waited: 0, ms: Number.POSITIVE_INFINITY },
    { wait: 1000, waited: 900, ms: Number.POSITIVE_INFINITY },
    { wait: 1000, waited: 1001, ms: Number.POSITIVE_INFINITY },
    { wait: Number.POSITIVE_INFINITY, waited: 5000, ms: Number.POSITIVE_INFINITY },
  ])('is due in $ms ms after $waited of $wait ms', ({ wait, waited, ms }) => {
    expect(untilLastLook({ wait, waited })).toBe(ms);
  });
});
