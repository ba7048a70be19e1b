import { Controller, Get, Inject, Param, UseInterceptors } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { Locked, lockHandler, LockService, LockShutdownError } from 'nest-redis-lock';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { adapters, runtimeOf, serve, type Served, start } from './applications.js';
import { caught } from '../kit/caught.js';
import { Gate } from '../kit/gate.js';
import { until } from '../kit/until.js';

const SHUTDOWN_TIMEOUT = 2000;
/** The part of it before the signals of holders abort, and the part for releases after that. */
const UNDISTURBED = 1200;
const GRACE = 400;

describe('While an application shuts down', () => {
  let clock: ManualClock;
  let app: TestingModule;
  let locks: LockService;

  beforeEach(async () => {
    clock = new ManualClock();
    app = await start({}, { connection: 'memory', shutdownTimeout: SHUTDOWN_TIMEOUT }, clock);
    locks = app.get(LockService);
  });

  /** Begins to close the application, and returns the promise of its end. */
  const beginClosing = async (): Promise<{ readonly closed: Promise<string> }> => {
    const closed = app.close().then(() => 'closed');
    await until(() => runtimeOf(app).shutdown.aborted);
    return { closed };
  };

  it.each([
    [10_000, 9000, 9500],
    [1000, 600, 800],
  ])(
    'of %d ms, holders have %d ms until their signals abort, and it waits for them until %d ms',
    async (all, abort, end) => {
      await app.close();
      app = await start({}, { connection: 'memory', shutdownTimeout: all }, clock);
      const { signal } = await app.get(LockService).acquire('a');
      let isClosed = false;
      const closing = beginClosing().then(({ closed }) => closed.then(() => (isClosed = true)));
      await until(() => runtimeOf(app).shutdown.aborted);
      await clock.advance(abort - 1);
      expect(signal.aborted).toBe(false);
      await clock.advance(1);
      expect(signal.reason).toBeInstanceOf(LockShutdownError);
      await clock.advance(end - abort - 1);
      expect(isClosed).toBe(false);
      await clock.advance(1);
      await closing;
    },
  );

  it('holders re-enter what they hold', async () => {
    const busy = new Gate();
    const holder = locks.withLock('a', async ({ owner }) => {
      await busy.pass();
      await caught(locks.acquire('b'), LockShutdownError);
      const again = await locks.acquire('a');
      await again.release();
      return locks.withLock('a', (hold) => hold.owner === owner);
    });
    const scope = locks.runInScope(async () => {
      const { owner } = await locks.acquire('c');
      await busy.pass();
      const again = await locks.acquire('c');
      await locks.getLock('c').release();
      await locks.getLock('c').release();
      return again.owner === owner;
    });
    await until(() => runtimeOf(app).grants.size === 2);
    const { closed } = await beginClosing();
    busy.open();
    await expect(Promise.all([holder, scope])).resolves.toEqual([true, true]);
    await expect(closed).resolves.toBe('closed');
    expect(clock.pending).toBe(0);
  });

  it('a holder that never lets go is not waited for, and not released either', async () => {
    const hold = await locks.acquire('a');
    const lock = locks.getLock('a');
    const { closed } = await beginClosing();
    await clock.advance(UNDISTURBED);
    // A holder that asks for its signal only now finds it aborted, too.
    expect(hold.signal.reason).toBeInstanceOf(LockShutdownError);
    await clock.advance(GRACE);
    await expect(closed).resolves.toBe('closed');
    await expect(lock.isLocked()).resolves.toBe(true);
    // The hold is no longer renewed.
    await clock.advance(30_000);
    await expect(lock.isLocked()).resolves.toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('closing again changes nothing', async () => {
    await app.close();
    await expect(app.close()).resolves.toBeUndefined();
    expect(clock.pending).toBe(0);
  });
});

@Controller()
class WorkController {
  readonly busy = new Gate();

  constructor(@Inject(LockService) private readonly locks: LockService) {}

  @Get('work/:id')
  @Locked('work:<0>')
  async work(@Param('id') id: string): Promise<string> {
    await this.busy.pass();
    return id;
  }

  @Get('handler/:id')
  @UseInterceptors(lockHandler(() => 'work:1'))
  async handler(@Param('id') id: string): Promise<string> {
    return id;
  }

  @Get('nested/:id')
  async nested(@Param('id') id: string): Promise<string> {
    return this.locks.withLock(`work:${id}`, { wait: Number.POSITIVE_INFINITY }, () => id);
  }

  @Get('until-told')
  @Locked('until-told')
  async untilTold(): Promise<string> {
    const signal = this.locks.currentHold()?.signal;
    void this.busy.pass();
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    return String(signal?.reason);
  }
}

/** Counts the waiters for locks, in private fields. */
const waitersIn = (app: Served['app']): number => {
  const queues = Reflect.get(runtimeOf(app).kinds.plain.acquirer, 'queues') as ReadonlyMap<string, object>;
  const waiters = [...queues.values()].map((queue) => Reflect.get(queue, 'waiters') as Set<unknown>);
  return waiters.reduce((sum, { size }) => sum + size, 0);
};

describe.each(adapters)('While an application on %s shuts down', (_, adapter) => {
  let served: Served;
  let busy: Gate;

  const get = async (path: string): Promise<readonly [status: number, body: string]> => {
    // The connection is closed, because an idle one keeps the server from closing.
    const response = await fetch(`${served.url}/${path}`, { headers: { connection: 'close' } });
    return [response.status, await response.text()];
  };

  beforeEach(async () => {
    const options = { connection: 'memory', shutdownTimeout: 50 } as const;
    // No request is cut at the end of the application.
    served = await serve(adapter, { controllers: [WorkController] }, options, false);
    ({ busy } = served.app.get(WorkController));
  });

  it('waiting requests are answered at once, and the holding one finishes', async () => {
    const working = get('work/1');
    await busy.reached;
    const waiting = Promise.all([get('work/1'), get('handler/1'), get('nested/1')]);
    await until(() => waitersIn(served.app) === 3);
    const closed = served.app.close();
    const answers = await waiting;
    expect(answers.map(([status]) => status)).toEqual([503, 503, 503]);
    expect(answers.map(([, body]) => (JSON.parse(body) as { readonly error: string }).error)).toEqual([
      'LOCK_SHUTDOWN',
      'LOCK_SHUTDOWN',
      'LOCK_SHUTDOWN',
    ]);
    busy.open();
    await expect(working).resolves.toEqual([200, '1']);
    await closed;
    expect(runtimeOf(served.app).grants.size).toBe(0);
  });

  it('a request that lasts longer than shutdownTimeout sees its signal abort', async () => {
    const working = get('until-told');
    await busy.reached;
    const closed = served.app.close();
    await expect(working).resolves.toEqual([200, expect.stringContaining('LockShutdownError') as unknown]);
    await closed;
    expect(runtimeOf(served.app).grants.size).toBe(0);
  });
});
