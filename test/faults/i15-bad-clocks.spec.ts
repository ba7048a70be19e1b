import { setTimeout as sleep } from 'node:timers/promises';
import { LockError, LockLostError } from '../../lib/errors.js';
import { type Scheduler, systemScheduler } from '../../lib/time/scheduler.js';
import { scriptExecutions } from '../servers/redis/script-executions.js';
import { ServedTime } from '../kit/served-time.js';
import { until } from '../kit/until.js';
import { useServerFixture } from './server-fixture.js';
import type { Client } from '../kit/client.js';

const HOUR = 3_600_000;

type Options = Parameters<Scheduler['schedule']>[2];

const shifted = (change: (ms: number) => number): Scheduler => ({
  ...systemScheduler,
  schedule: (ms, task, options) => systemScheduler.schedule(Math.max(0, change(ms)), task, options),
});

const clocked = (now: () => number, wallNow?: () => number): Scheduler => ({
  now,
  ...(wallNow ? { wallNow } : {}),
  schedule: (ms: number, task: () => void, options: Options) => systemScheduler.schedule(ms, task, options),
});

/** A clock that runs like the system's, but is set back or forward at random. */
const jumping = (jump: () => number, now = () => systemScheduler.now()): (() => number) => {
  let offset = 0;
  return () => {
    if (Math.random() < 0.05) offset += jump();
    return now() + offset;
  };
};

const clocks = {
  'fires early': () => shifted((ms) => ms * (0.5 + 0.5 * Math.random())),
  'fires at once, now and then': () => shifted((ms) => (Math.random() < 0.1 ? 0 : ms)),
  'fires late': () => shifted((ms) => ms + 100 * Math.random()),
  'fires twice': () => ({
    ...systemScheduler,
    schedule: (ms, task, options) => {
      systemScheduler.schedule(ms + 5, task);
      return systemScheduler.schedule(ms, task, options);
    },
  }),
  'fires what was cancelled': () => ({
    ...systemScheduler,
    schedule: (ms, task) => {
      systemScheduler.schedule(ms, task);
      return { cancel: () => {} };
    },
  }),
  'goes back': () => clocked(jumping(() => -5000 * Math.random())),
  'goes back and forth a little': () => clocked(() => systemScheduler.now() + 5 * Math.random()),
  'goes forward by leaps': () => clocked(jumping(() => 200 * Math.random())),
  'has a wall clock that is set': () =>
    clocked(
      () => systemScheduler.now(),
      jumping(
        () => HOUR * (Math.random() - 0.5),
        () => Date.now(),
      ),
    ),
  'has a wall clock that stands still': (): Scheduler =>
    clocked(
      () => systemScheduler.now(),
      () => 0,
    ),
} satisfies Readonly<Record<string, () => Scheduler>>;

describe('I15: clocks and timers that misbehave', () => {
  const fixture = useServerFixture();

  /** Acquires the lock repeatedly and holds it for a moment. Every refusal must be an error of the library. */
  const contend = async ({ locks }: Client, name: string, rounds: number): Promise<number> => {
    let holds = 0;
    for (let round = 0; round < rounds; round++) {
      const lease = round % 3 === 0 ? {} : { lease: 300 };
      const hold = await locks
        .tryAcquire(name, { wait: round % 2 === 0 ? 2000 : 50, ...lease })
        .catch((error: unknown) => {
          if (!(error instanceof LockError)) throw error;
          return null;
        });
      if (!hold) continue;
      holds++;
      fixture().history.note(hold);
      await sleep(2);
      await hold.release().catch((error: unknown) => {
        if (!(error instanceof LockError)) throw error;
      });
    }
    return holds;
  };

  it.each(Object.entries(clocks))(
    'a clock that %s: no other caller is harmed, and no error is unhandled',
    async (_, clock) => {
      const crooked = fixture().open(undefined, { scheduler: clock() });
      const honest = fixture().open();
      const holds = await Promise.all([
        contend(crooked, 'i15:clock', 15),
        contend(crooked, 'i15:clock', 15),
        contend(honest, 'i15:clock', 15),
      ]);
      expect(holds[2]).toBeGreaterThan(0);
      expect(holds[0] + holds[1]).toBeGreaterThan(0);
      await until(async () => (await fixture().admin.exists('i15:clock')) === 0, 3000, 'nothing is left');
    },
  );

  it.each(['fires twice', 'fires what was cancelled'] as const)(
    'a timer that %s: nothing is done twice',
    async (how) => {
      const { locks } = fixture().open(undefined, { scheduler: clocks[how](), renewedLease: 600 });
      const hold = fixture().history.note(await locks.acquire('i15:twice'));
      const before = await scriptExecutions(fixture().admin);
      await sleep(1500);
      // The watchdog renews every third of the time-out.
      const renewals = (await scriptExecutions(fixture().admin)) - before;
      expect(renewals).toBeLessThanOrEqual(8);
      await expect(hold.release()).resolves.toBe('released');
    },
  );

  it('a timer that never fires: holds still end by the clock', async () => {
    const scheduler: Scheduler = { ...systemScheduler, schedule: () => ({ cancel: () => {} }) };
    const { locks } = fixture().open(undefined, { scheduler });
    const leased = fixture().history.note(await locks.acquire('i15:leased', { lease: 1000 }));
    const watched = fixture().history.note(await locks.acquire('i15:watched'));
    leased.assertHeld();
    const over = (hold: typeof leased) => () => {
      try {
        hold.assertHeld();
        return false;
      } catch (error) {
        return error instanceof LockLostError;
      }
    };
    const exists = async (name: string) => (await fixture().admin.exists(name)) === 1;
    await until(over(leased), 1100, 'the lease is over');
    expect(leased.signal.aborted).toBe(true);
    await until(async () => !(await exists('i15:watched')) || over(watched)(), 2000, 'the lease nobody renews is over');
    expect(over(watched)()).toBe(true);
    await expect(watched.release()).resolves.toBe('expired');
    await expect(leased.release()).resolves.toBe('expired');
    const again = fixture().history.note(await locks.acquire('i15:leased'));
    await expect(again.release()).resolves.toBe('released');
  });

  it.each([0, 5000, HOUR])('a clock that is set back by %i ms under a hold: the hold ends no later', async (back) => {
    let offset = 0;
    const scheduler = clocked(() => systemScheduler.now() - offset);
    const { locks } = fixture().open(undefined, { scheduler });
    const hold = fixture().history.note(await locks.acquire('i15:back', { lease: 500 }));
    const asked = performance.now();
    const end = asked + (await fixture().admin.pttl('i15:back'));
    offset = back;
    const time = new ServedTime();
    const aborted = await new Promise<number>((resolve) => {
      hold.signal.addEventListener('abort', () => resolve(performance.now()));
    });
    time.stop();
    // A process that is not let run notices the end that much later.
    expect(aborted - time.longestStall).toBeLessThan(end);
    expect(() => hold.assertHeld()).toThrow(LockLostError);
    await expect(hold.release()).resolves.toBe('expired');
  });

  it('a clock that is set back during a wait: the wait still ends, and messages still wake', async () => {
    let offset = 0;
    const crooked = fixture().open(undefined, { scheduler: clocked(() => systemScheduler.now() - offset) });
    const hold = fixture().history.note(await fixture().open().locks.acquire('i15:wait', { lease: '60s' }));
    const timed = crooked.locks.tryAcquire('i15:wait', { wait: 500 });
    const served = crooked.locks.acquire('i15:wait', { wait: '10s' });
    await fixture().listening('i15:wait');
    offset = HOUR;
    await expect(timed).resolves.toBeNull();
    await hold.release();
    const next = fixture().history.note(await served);
    await expect(next.release()).resolves.toBe('released');
  });
});
