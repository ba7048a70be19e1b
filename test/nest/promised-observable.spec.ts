import { Controller, Get, Inject, Param } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { Locked, LockLostError, LockService } from 'nest-redis-lock';
import { firstValueFrom, type Observable, of, tap } from 'rxjs';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { adapters, runtimeOf, serve, start } from './applications.js';
import { caught } from '../kit/caught.js';
import { LockedStreams } from './locked-streams.js';
import { ConcurrencyProbe } from '../kit/concurrency-probe.js';
import { until } from '../kit/until.js';

const WATCHDOG_TIMEOUT = 30_000;

describe('A promised Observable of a @Locked method', () => {
  let clock: ManualClock;
  let app: TestingModule;
  let streams: LockedStreams;
  let locks: LockService;

  const isLocked = (): Promise<boolean> => locks.getLock('stream:1').isLocked();
  const isFree = async (): Promise<boolean> => !(await isLocked());

  beforeEach(async () => {
    clock = new ManualClock();
    app = await start(
      { providers: [ConcurrencyProbe, LockedStreams] },
      { connection: 'memory', renewedLease: WATCHDOG_TIMEOUT },
      clock,
    );
    streams = app.get(LockedStreams);
    locks = app.get(LockService);
  });

  afterEach(async () => {
    await app.close();
    expect(clock.pending).toBe(0);
  });

  it('is locked when the promise resolves', async () => {
    await streams.promised('1');
    expect(streams.runs).toBe(1);
    await expect(isLocked()).resolves.toBe(true);
    await clock.advance(2 * WATCHDOG_TIMEOUT);
  });

  it('is locked until it completes, and free when the listener is called', async () => {
    const observable = await streams.promised('1');
    const heard: unknown[] = [];
    observable.subscribe({
      next: (value) => heard.push(value),
      complete: () => heard.push(runtimeOf(app).grants.size),
    });
    // An Observable without a subscriber is given up in this time, but this one has a subscriber.
    await clock.advance(10 * WATCHDOG_TIMEOUT);
    await expect(isLocked()).resolves.toBe(true);
    streams.events.next('first');
    streams.events.complete();
    await until(() => heard.length === 2);
    expect(heard).toEqual(['first', 0]);
  });

  it('is locked until it fails', async () => {
    const failure = new Error('out of stock');
    const observable = await streams.promised('1');
    const heard = new Promise((resolve) => void observable.subscribe({ error: resolve }));
    await expect(isLocked()).resolves.toBe(true);
    streams.events.error(failure);
    await expect(heard).resolves.toBe(failure);
    await expect(isLocked()).resolves.toBe(false);
  });

  it('is locked until the last unsubscription', async () => {
    const subscription = (await streams.promised('1')).subscribe();
    await expect(isLocked()).resolves.toBe(true);
    subscription.unsubscribe();
    await until(isFree);
  });

  it('covers one subscription, and rejects the next with the remedy', async () => {
    const observable = await streams.promised('1');
    const first = observable.subscribe();
    const error = await caught(firstValueFrom(observable), LockLostError);
    expect(error.message).toContain('is for one subscription only');
    expect(error.message).toContain('returns: "observable"');
    await expect(isLocked()).resolves.toBe(true);
    first.unsubscribe();
    await until(isFree);
  });

  it('is given up without a subscription', async () => {
    const observable = await streams.promised('1');
    await clock.advance(WATCHDOG_TIMEOUT - 1);
    await expect(isLocked()).resolves.toBe(true);
    await clock.advance(1);
    await expect(isLocked()).resolves.toBe(false);
    const error = await caught(firstValueFrom(observable), LockLostError);
    expect(error.message).toContain('was given up because there was no subscription');
    expect(streams.events.observed).toBe(false);
  });

  it('runs as the owner in its source, and not in its listeners', async () => {
    @Controller()
    class Reader {
      constructor(@Inject(LockService) readonly service: LockService) {}

      @Locked('stream:<0>')
      async read(_id: string): Promise<Observable<string>> {
        return of('event').pipe(tap(() => seen.push({ source: this.service.currentHold()?.name })));
      }
    }
    const seen: unknown[] = [];
    const other = await start({ providers: [Reader] }, { connection: 'memory' }, clock);
    const observable = await other.get(Reader).read('1');
    observable.subscribe(() => seen.push({ listener: other.get(LockService).currentHold()?.name }));
    expect(seen).toEqual([{ source: 'stream:1' }, { listener: undefined }]);
    await other.close();
  });
});

@Controller('stream')
class StreamController {
  constructor(
    @Inject(LockService) private readonly locks: LockService,
    private readonly probe: ConcurrencyProbe,
  ) {}

  @Get('declared/:id')
  @Locked('stream:<0>')
  declared(@Param('id') id: string): Observable<unknown> {
    return of({ id, lock: this.locks.currentHold()?.name });
  }

  @Get('promised/:id')
  @Locked('stream:<0>')
  async promised(@Param('id') id: string): Promise<Observable<unknown>> {
    await this.probe.enter(id);
    return of({ id, lock: this.locks.currentHold()?.name });
  }
}

describe.each(adapters)('A @Locked handler on %s', (_, adapter) => {
  it.each(['declared', 'promised'])('may answer with a %s Observable', async (how) => {
    const { app, url } = await serve(adapter, { controllers: [StreamController], providers: [ConcurrencyProbe] });
    const answers = await Promise.all(
      Array.from({ length: 3 }, async () => (await fetch(`${url}/stream/${how}/1`)).json()),
    );
    expect(answers).toEqual(Array.from({ length: 3 }, () => ({ id: '1', lock: 'stream:1' })));
    expect(app.get(ConcurrencyProbe).peak).toBeLessThan(2);
    expect(runtimeOf(app).grants.size).toBe(0);
    await app.close();
  });
});
