import type { TestingModule } from '@nestjs/testing';
import { LockConflictError, LockNameError, LockService } from 'nest-redis-lock';
import { firstValueFrom, map, Observable, take, toArray } from 'rxjs';
import { runtimeOf, start } from './applications.js';
import { caught } from '../kit/caught.js';
import { LockedStreams } from './locked-streams.js';
import { ConcurrencyProbe } from '../kit/concurrency-probe.js';
import { until } from '../kit/until.js';

let app: TestingModule;
let streams: LockedStreams;
let locks: LockService;

const isLocked = (): Promise<boolean> => locks.getLock('stream:1').isLocked();
const held = (): number => runtimeOf(app).grants.size;

beforeEach(async () => {
  app = await start({ providers: [ConcurrencyProbe, LockedStreams] });
  streams = app.get(LockedStreams);
  locks = app.get(LockService);
});

afterEach(() => app.close());

describe.each([
  ['whose declared type is Observable', () => streams.declared('1')],
  ['with the option returns: "observable"', () => streams.byOption('1')],
])('The Observable of a @Locked method %s', (_, call) => {
  it('takes no lock and runs nothing before a subscription', async () => {
    expect(call()).toBeInstanceOf(Observable);
    await expect(isLocked()).resolves.toBe(false);
    expect(streams.runs).toBe(0);
  });

  it('is locked until it completes, and free when the listener is called', async () => {
    const heard: unknown[] = [];
    const completed = new Promise<void>((resolve) => {
      const complete = (): void => {
        heard.push({ held: held() });
        resolve();
      };
      call().subscribe({ next: (value) => heard.push(value), complete });
    });
    await until(() => streams.events.observed);
    streams.events.next('first');
    await expect(isLocked()).resolves.toBe(true);
    streams.events.next('last');
    streams.events.complete();
    await completed;
    expect(heard).toEqual(['first', 'last', { held: 0 }]);
  });

  it('is locked until it fails, and free when the listener is called', async () => {
    const failure = new Error('out of stock');
    const heard = new Promise((resolve) => {
      call().subscribe({ error: (error: unknown) => resolve({ same: error === failure, held: held() }) });
    });
    await until(() => streams.events.observed);
    await expect(isLocked()).resolves.toBe(true);
    streams.events.error(failure);
    await expect(heard).resolves.toEqual({ same: true, held: 0 });
  });

  it('is locked until the last unsubscription', async () => {
    const subscription = call().subscribe();
    await until(() => streams.events.observed);
    await expect(isLocked()).resolves.toBe(true);
    subscription.unsubscribe();
    expect(streams.events.observed).toBe(false);
    await until(async () => !(await isLocked()));
  });

  it('takes the lock and runs the method anew for each subscription', async () => {
    const observable = call();
    const first = observable.subscribe();
    await until(() => streams.events.observed);
    const second = observable.subscribe();
    await until(() => runtimeOf(app).acquirer.contended === 1);
    expect(streams.runs).toBe(1);
    first.unsubscribe();
    await until(() => streams.runs === 2);
    second.unsubscribe();
    await until(async () => !(await isLocked()));
  });

  it('stops waiting at the last unsubscription', async () => {
    const rival = await locks.acquire('stream:1');
    const subscription = call().subscribe();
    await until(() => runtimeOf(app).acquirer.contended === 1);
    subscription.unsubscribe();
    await until(() => runtimeOf(app).acquirer.contended === 0);
    await rival.release();
    await expect(isLocked()).resolves.toBe(false);
    expect(streams.runs).toBe(0);
  });
});

describe('The Observable of a @Locked method', () => {
  it('excludes the others of the same key', async () => {
    const entering = Array.from({ length: 4 }, () => firstValueFrom(streams.enters('1')));
    await expect(Promise.all(entering)).resolves.toEqual(['1', '1', '1', '1']);
    expect(app.get(ConcurrencyProbe).peak).toBe(1);
  });

  it('runs as the owner in its source, and not in its listeners', async () => {
    const seen: unknown[] = [];
    streams.holds('1').subscribe((source) => seen.push({ source, listener: locks.currentHold()?.name }));
    await until(() => seen.length === 2);
    // The caller that feeds the source does not become the owner either.
    streams.events.next('from outside');
    expect(seen).toEqual([
      { source: 'stream:1', listener: undefined },
      { source: 'stream:1', listener: undefined },
      { source: undefined, listener: undefined },
    ]);
    streams.events.complete();
    await until(async () => !(await isLocked()));
  });

  it("leaves its listener under the listener's own lock", async () => {
    const listener = locks.withLock('listener', () =>
      firstValueFrom(streams.holds('1').pipe(map((source) => [source, locks.currentHold()?.name]))),
    );
    await expect(listener).resolves.toEqual(['stream:1', 'listener']);
  });

  it('re-enters if its subscriber holds the lock', async () => {
    await locks.withLock('stream:1', () => firstValueFrom(streams.enters('1')));
    expect(app.get(ConcurrencyProbe).entered).toEqual(['1']);
    await expect(isLocked()).resolves.toBe(false);
  });

  it('ends when a listener has enough, however much would follow', async () => {
    await expect(firstValueFrom(streams.endless('1').pipe(take(3), toArray()))).resolves.toEqual([0, 1, 2]);
    expect(streams.runs).toBeLessThan(5);
    await until(async () => !(await isLocked()));
  });

  it.each(['throws', 'fails'] as const)(
    'fails with the very error that the method %s with, free by then',
    async (how) => {
      const failure = new Error('out of stock');
      const heard = new Promise((resolve) => {
        streams[how]('1', failure).subscribe({
          error: (error: unknown) => resolve({ same: error === failure, held: held() }),
        });
      });
      await expect(heard).resolves.toEqual({ same: true, held: 0 });
    },
  );

  it('fails, and does not throw, where the key cannot be made', async () => {
    await caught(firstValueFrom(streams.declared('')), LockNameError);
    expect(streams.runs).toBe(0);
  });

  it('fails if the method returns another value', async () => {
    const error = await caught(firstValueFrom(streams.none('1')), TypeError);
    expect(error.message).toContain(
      'LockedStreams.none is @Locked with returns: "observable", but it returned "no Observable"',
    );
    await until(async () => !(await isLocked()));
  });

  it('fails, is skipped or is answered by a function if another owner has the lock', async () => {
    const rival = await locks.acquire('stream:1');
    const all = <T>(observable: Observable<T>) => firstValueFrom(observable.pipe(toArray()));
    await caught(all(streams.impatient('1')), LockConflictError);
    await expect(all(streams.skips('1'))).resolves.toEqual([undefined]);
    await expect(all(streams.answers('1'))).resolves.toEqual([[['1'], 'LockConflictError']]);
    await expect(all(streams.replays('1'))).resolves.toEqual(['cached', 'values']);
    expect(streams.runs).toBe(0);
    await rival.release();
  });
});
