import { ManualClock } from '../../lib/testing/manual-clock.js';
import { abortablePause } from '../../lib/time/abortable-pause.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';

describe('A pause that an abort ends', () => {
  const setUp = () => {
    const clock = new ManualClock();
    const abort = new AbortController();
    /** The ends of the pauses, ms. */
    const ends: number[] = [];
    const pause = (ms: number): void => {
      const scheduler = new MonotonicScheduler(clock, () => {});
      void abortablePause(scheduler, ms, abort.signal).then(() => ends.push(clock.now()));
    };
    return { clock, abort, ends, pause };
  };

  it('lasts its time if nothing is aborted', async () => {
    const { clock, ends, pause } = setUp();
    pause(100);
    await clock.advance(99);
    expect(ends).toEqual([]);
    await clock.advance(1);
    expect(ends).toEqual([100]);
  });

  it('ends with the abort, without a timer', async () => {
    const { clock, abort, ends, pause } = setUp();
    pause(100);
    await clock.advance(40);
    abort.abort();
    await clock.advance(0);
    expect(ends).toEqual([40]);
    expect(clock.pending).toBe(0);
  });

  it('ends at once if the signal is aborted already, without a timer', async () => {
    const { clock, abort, ends, pause } = setUp();
    abort.abort();
    pause(100);
    await clock.advance(0);
    expect(ends).toEqual([0]);
    expect(clock.pending).toBe(0);
  });

  it('leaves no listener on the signal', async () => {
    const { clock, abort, pause } = setUp();
    const listeners = new Set<unknown>();
    const { signal } = abort;
    jest.spyOn(signal, 'addEventListener').mockImplementation((_, listener) => void listeners.add(listener));
    jest.spyOn(signal, 'removeEventListener').mockImplementation((_, listener) => void listeners.delete(listener));
    pause(100);
    expect(listeners.size).toBe(1);
    await clock.advance(100);
    expect(listeners.size).toBe(0);
  });
});
