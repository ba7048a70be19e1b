import { AsyncLocalStorage } from 'node:async_hooks';
import { ManualClock } from '../../lib/testing/manual-clock.js';

describe('ManualClock', () => {
  let clock: ManualClock;
  let log: string[];

  /** Records the name and the clock's time when it is called. */
  const note = (name: string) => () => void log.push(`${name}@${clock.now()}`);

  beforeEach(() => {
    clock = new ManualClock();
    log = [];
  });

  it('runs tasks at their own instant, in the order of time and then of scheduling', async () => {
    clock.schedule(30, note('c'));
    clock.schedule(10, note('a'));
    clock.schedule(30, note('d'));
    clock.schedule(20, note('b'));
    clock.schedule(31, note('later'));
    await clock.advance(30);
    expect(log).toEqual(['a@10', 'b@20', 'c@30', 'd@30']);
    expect(clock.now()).toBe(30);
    expect(clock.pending).toBe(1);
  });

  it('never runs a cancelled task, even if cancelled by another one due at the same instant', async () => {
    const doomed = [clock.schedule(5, note('first')), clock.schedule(10, note('second'))];
    doomed[0]?.cancel();
    clock.schedule(9, () => doomed[1]?.cancel());
    await clock.advance(10);
    doomed[1]?.cancel();
    expect(log).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('lets promises settle before the first task, between tasks and after the last', async () => {
    const sleep = (ms: number): Promise<void> => new Promise((resolve) => void clock.schedule(ms, resolve));
    const work = async (): Promise<void> => {
      // The chains are deep, because a library awaits through many layers before it comes to its next timer.
      for (let depth = 0; depth < 100; depth++) await Promise.resolve();
      note('started')();
      await sleep(10);
      for (let depth = 0; depth < 100; depth++) await Promise.resolve();
      note('woken')();
      await sleep(10);
      note('done')();
    };
    void work();
    clock.schedule(11, note('other'));
    await clock.advance(20);
    expect(log).toEqual(['started@0', 'woken@10', 'other@11', 'done@20']);
  });

  it('runs a task in the async context that scheduled it', async () => {
    const context = new AsyncLocalStorage<string>();
    context.run('scheduling', () => clock.schedule(10, () => log.push(String(context.getStore()))));
    await context.run('advancing', () => clock.advance(10));
    expect(log).toEqual(['scheduling']);
  });

  it('keeps a task without an end for ever', async () => {
    clock.schedule(Number.POSITIVE_INFINITY, note('never'));
    await clock.advance(1e12);
    expect(clock.pending).toBe(1);
  });

  it('throws the error of a task and can be advanced again', async () => {
    clock.schedule(10, () => {
      throw new Error('broken task');
    });
    clock.schedule(20, note('next'));
    await expect(clock.advance(30)).rejects.toThrow('broken task');
    expect(clock.now()).toBe(10);
    await clock.advance(10);
    expect(log).toEqual(['next@20']);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses to advance by %p', async (ms) => {
    await expect(clock.advance(ms)).rejects.toThrow(RangeError);
  });

  it('refuses to be advanced by two at a time', async () => {
    const first = clock.advance(10);
    await expect(clock.advance(10)).rejects.toThrow('being advanced already');
    await first;
    expect(clock.now()).toBe(10);
  });
});
