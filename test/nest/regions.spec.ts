import type { TestingModule } from '@nestjs/testing';
import { type Hold, LockLostError, LockService } from 'nest-redis-lock';
import { currentContext } from '../../lib/context/owner-context.js';
import { runtimeOf } from './applications.js';
import { caught } from '../kit/caught.js';
import { Gate } from '../kit/gate.js';
import { ConcurrencyProbe } from '../kit/concurrency-probe.js';
import { applicationBackends } from './application-backends.js';
import { until } from '../kit/until.js';

describe.each(applicationBackends)('Code that runs under a lock %s', (_, openBackend) => {
  const backend = openBackend();
  let app: TestingModule;
  let locks: LockService;
  let probe: ConcurrencyProbe;

  const grants = (): number => runtimeOf(app).grants.size;
  const holdCount = (): Promise<number> => locks.getLock('a').holdCount();
  const isTaken = async (): Promise<boolean> => (await locks.tryAcquire('a')) === null;

  beforeAll(() => backend.open());

  beforeEach(async () => {
    app = await backend.application();
    locks = app.get(LockService);
    probe = new ConcurrencyProbe();
  });

  afterEach(() => app.close());

  afterAll(() => backend.close());

  it('re-enters it through another lock', async () => {
    const owners: string[] = [];
    const note = ({ owner }: Hold): void => void owners.push(owner);
    await locks.withLock('a', async (a) => {
      note(a);
      await locks.withLock('b', async (b) => {
        note(b);
        await locks.withLock('a', note);
        expect([locks.currentHold()?.name, locks.currentHold('a')?.owner]).toEqual(['b', a.owner]);
      });
    });
    expect(owners[2]).toBe(owners[0]);
    expect(owners[1]).not.toBe(owners[0]);
  });

  it('runs one at a time with its siblings inside, in the order of arrival', async () => {
    await locks.withLock('a', async ({ owner }) => {
      const siblings = [1, 2, 3, 4].map((visitor) =>
        locks.withLock('a', async (hold) => {
          expect(hold.owner).toBe(owner);
          await probe.enter(visitor);
        }),
      );
      await Promise.all(siblings);
      await expect(holdCount()).resolves.toBe(1);
    });
    expect({ peak: probe.peak, visitors: probe.entered }).toEqual({ peak: 1, visitors: [1, 2, 3, 4] });
    expect(grants()).toBe(0);
  });

  it('does not make what is nested in a sibling wait for that sibling', async () => {
    const depth = (levels: number): Promise<unknown> =>
      locks.withLock('a', () => (levels === 0 ? probe.enter(levels) : depth(levels - 1)));
    await locks.withLock('a', () => Promise.all([depth(2), depth(2)]));
    expect(probe.entered).toEqual([0, 0]);
  });

  it('lets the next sibling in when one fails or gives up', async () => {
    const failure = new Error('out of stock');
    const busy = new Gate();
    await locks.withLock('a', async () => {
      const failing = locks.withLock('a', async () => {
        await busy.pass();
        throw failure;
      });
      const impatient = locks.withLock('a', { wait: 1 }, () => probe.enter('impatient'));
      const next = locks.withLock('a', () => probe.enter('next'));
      await expect(impatient).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
      busy.open();
      await expect(failing).rejects.toBe(failure);
      await next;
    });
    expect(probe.entered).toEqual(['next']);
    expect(grants()).toBe(0);
  });

  it('excludes a sibling that was started outside, also when it goes on inside', async () => {
    const inside = new Gate();
    const startedOutside = inside.reached.then(isTaken);
    await locks.withLock('a', async () => {
      inside.open();
      await inside.pass();
      await expect(startedOutside).resolves.toBe(true);
    });
  });

  it('has no owner once the callback has settled, however long it continues', async () => {
    const rest = new Gate();
    const detached = await locks.withLock('a', () => {
      const goOn = async (): Promise<unknown> => {
        await rest.pass();
        return [locks.currentHold()?.name, await holdCount(), await isTaken()];
      };
      return { result: goOn() };
    });
    const rival = await locks.acquire('a');
    rest.open();
    await expect(detached.result).resolves.toEqual([undefined, 0, true]);
    await rival.release();
  });

  it('keeps the lock during a nested callback that is not awaited', async () => {
    const busy = new Gate();
    const detached = await locks.withLock('a', async () => {
      const nested = locks.withLock('a', () => busy.pass());
      await busy.reached;
      return {
        nested,
        closed: Promise.resolve()
          .then(() => new Promise(setImmediate))
          .then(isTaken),
      };
    });
    // Neither a rival nor work that the closed callback left behind is let in.
    await expect(isTaken()).resolves.toBe(true);
    await expect(detached.closed).resolves.toBe(true);
    const rival = locks.acquire('a');
    await until(() => runtimeOf(app).acquirer.contended === 1);
    busy.open();
    await detached.nested;
    await (await rival).release();
    expect(grants()).toBe(0);
  });

  it('cannot re-enter a lock that it has lost', async () => {
    await locks.withLock('a', { lease: 600 }, async (hold) => {
      await new Promise((resolve) => hold.signal.addEventListener('abort', resolve));
      expect(() => hold.assertHeld()).toThrow(LockLostError);
      await caught(locks.acquire('a'), LockLostError);
      await caught(locks.tryAcquire('a'), LockLostError);
      await caught(
        locks.withLock('a', () => probe.enter('inside')),
        LockLostError,
      );
    });
    expect(probe.entered).toEqual([]);
  });

  it('does not grow a context chain by scheduling itself repeatedly', async () => {
    const depths: number[] = [];
    const depth = (region: unknown): number => (region ? 1 + depth(Reflect.get(Object(region), 'outer')) : 0);
    const step = (left: number): Promise<unknown> =>
      locks.withLock('a', () => {
        depths.push(depth(currentContext()));
        return { next: left > 0 ? new Promise((resolve) => setImmediate(() => resolve(step(left - 1)))) : undefined };
      });
    let last = (await step(20)) as { readonly next?: Promise<typeof last> };
    while (last.next) last = await last.next;
    expect(depths).toEqual(Array.from({ length: 21 }, () => 1));
  });
});
