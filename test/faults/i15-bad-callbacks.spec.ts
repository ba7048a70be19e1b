import { AsyncResource } from 'node:async_hooks';
import fc from 'fast-check';
import { LockTimeoutError } from '../../lib/errors.js';
import { Given } from './bad-values.js';
import { CLOCK_GRAIN } from './observe.js';
import { until } from '../kit/until.js';
import { LEASE, useServerFixture } from './server-fixture.js';

/** Values of any type, to be thrown. */
const thrown = fc.oneof(
  fc.anything().map((value) => new Given(value)),
  fc.constantFrom(new Given(undefined), new Given(null), new Given(NaN), new Given(new Error('mine'))),
);

const never = (): Promise<never> => new Promise(() => {});

/** Ways for a callback to fail with a value. */
const failures: Readonly<Record<string, (value: unknown) => never | PromiseLike<never>>> = {
  'throws at once': (value) => {
    throw value;
  },
  rejects: async (value) => {
    throw value;
  },
  'rejects later': (value) => new Promise<never>((_, reject) => setImmediate(reject, value)),
  'returns something whose then cannot be read': (value) =>
    Object.defineProperty({}, 'then', {
      get: () => {
        throw value;
      },
    }) as PromiseLike<never>,
  'returns something whose then throws': (value) => ({
    then: () => {
      throw value;
    },
  }),
  'returns something whose then rejects twice': (value) => ({
    then: (_, reject) => {
      reject?.(value);
      reject?.(new Error('once more'));
      throw new Error('and again');
    },
  }),
};

describe('I15, F45: callbacks that misbehave', () => {
  const fixture = useServerFixture();

  it.each(Object.entries(failures))(
    'a callback that %s: the error is passed on unchanged, and the lock is free',
    async (_, fail) => {
      const { locks, runtime } = fixture().open();
      const inRegion: (() => unknown)[] = [];
      await fc.assert(
        fc.asyncProperty(thrown, async ({ value }) => {
          const outcome = await locks
            .withLock<unknown>('i15', (hold) => {
              fixture().history.note(hold);
              inRegion.push(AsyncResource.bind(() => locks.currentHold('i15')));
              return fail(value);
            })
            .then(
              () => 'resolved',
              (reason: unknown) => ({ reason }),
            );
          expect(outcome).toStrictEqual({ reason: value });
          await expect(fixture().admin.exists('i15')).resolves.toBe(0);
        }),
        { numRuns: 40 },
      );
      // Code that the callbacks left behind has no hold any more.
      expect(inRegion.map((look) => look())).toEqual(inRegion.map(() => undefined));
      expect(runtime.grants.size).toBe(0);
    },
  );

  it.each(Object.entries(failures))(
    'hold.run of a callback that %s: the error is passed on unchanged, and the hold stays',
    async (_, fail) => {
      const { locks } = fixture().open();
      const hold = fixture().history.note(await locks.acquire('i15'));
      const inRegion: (() => unknown)[] = [];
      await fc.assert(
        fc.asyncProperty(thrown, async ({ value }) => {
          const outcome = await (async () => {
            try {
              await hold.run(() => {
                inRegion.push(AsyncResource.bind(() => locks.currentHold('i15')));
                return fail(value);
              });
              return 'resolved';
            } catch (reason) {
              return { reason };
            }
          })();
          expect(outcome).toStrictEqual({ reason: value });
          hold.assertHeld();
        }),
        { numRuns: 40 },
      );
      expect(inRegion.map((look) => look())).toEqual(inRegion.map(() => undefined));
      await expect(hold.release()).resolves.toBe('released');
    },
  );

  it('a callback that never settles: its lock stays held and renewed, others continue, and it ends with the process', async () => {
    const client = fixture().open();
    const other = fixture().open();
    void client.locks.withLock('i15:never', never);
    void client.locks.runInScope(() => client.locks.withLock('i15:scope', never));
    await until(async () => (await fixture().admin.exists('i15:never', 'i15:scope')) === 2, 1000, 'both hold');
    await expect(other.locks.acquire('i15:never', { wait: LEASE + 500 })).rejects.toThrow(LockTimeoutError);
    await expect(client.locks.withLock('i15:other', () => 'ran')).resolves.toBe('ran');
    await client.close();
    await until(async () => (await fixture().admin.keys('*')).length === 0, LEASE + CLOCK_GRAIN, 'the leases end');
  });

  it('a callback that settles after its lease was lost: its own result is returned', async () => {
    const { locks, events } = fixture().open();
    const lose = () => fixture().admin.del('i15:lost');
    const lost = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve));
    const value = await locks.withLock('i15:lost', async ({ signal }) => {
      await lose();
      await lost(signal);
      return 'mine';
    });
    expect(value).toBe('mine');
    const mine = new Error('mine');
    const failed = locks.withLock('i15:lost', async ({ signal }) => {
      await lose();
      await lost(signal);
      throw mine;
    });
    await expect(failed).rejects.toBe(mine);
    expect(events.map(({ type }) => type)).toEqual(['lost', 'lost']);
  });

  it('listeners of events that throw disturb no other', async () => {
    const client = fixture().open();
    const heard: string[] = [];
    client.runtime.events.on(() => {
      throw new Error('a listener');
    });
    client.runtime.events.on(({ type }) => heard.push(type));
    const hold = await client.locks.acquire('i15:event');
    await fixture().admin.del('i15:event');
    await until(() => hold.signal.aborted, LEASE, 'the loss is noticed');
    await expect(hold.release()).resolves.toBe('expired');
    expect(heard).toContain('lost');
    // These errors are expected here. In every other test they would be a failure.
    expect(
      client.events
        .splice(0)
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual(['lost', 'unexpected']);
  });
});
