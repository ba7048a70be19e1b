import { Injectable } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { type Hold, Locked, LockAbortedError, LockedHandler, LockOptionsError, LockService } from 'nest-redis-lock';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { caught, thrownBy } from '../kit/caught.js';
import { runtimeOf, start } from './applications.js';

interface Charge {
  readonly signal?: AbortSignal;
}

const signalOf = (_id: string, { signal }: Charge): AbortSignal | undefined => signal;

const failure = new Error('no signal today');

@Injectable()
class Orders {
  runs = 0;
  readonly stop = new AbortController();

  @Locked('order:<0>', { wait: '1m', signal: signalOf })
  async pay(_id: string, _charge: Charge): Promise<string> {
    return this.ran();
  }

  @Locked((id: string) => `order:${id}`, { wait: '1m', onConflict: 'skip', signal: signalOf })
  async paySometimes(_id: string, _charge: Charge): Promise<string | undefined> {
    return this.ran();
  }

  @Locked('order:<0>', { wait: '1m', limit: 1, signal: signalOf })
  async payWithinALimit(_id: string, _charge: Charge): Promise<string> {
    return this.ran();
  }

  @Locked('order:<0>', { wait: '1m', returns: 'observable', signal: signalOf })
  observe(_id: string, _charge: Charge): Observable<string> {
    return of(this.ran());
  }

  @Locked('order:<0>', { wait: '1m', signal: signalOf })
  async *iterate(_id: string, _charge: Charge): AsyncGenerator<string> {
    yield this.ran();
  }

  @Locked('order:<0>', { wait: '1m', signal: signalOf })
  async untilAborted(_id: string, { signal }: Charge): Promise<string> {
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    return this.ran();
  }

  @Locked('order:<0>', {
    wait: '1m',
    signal(this: Orders) {
      return this.stop.signal;
    },
  })
  async untilStopped(_id: string): Promise<string> {
    return this.ran();
  }

  @Locked('order:<0>', {
    signal: () => {
      throw failure;
    },
  })
  async failing(_id: string): Promise<string> {
    return this.ran();
  }

  private ran(): string {
    this.runs += 1;
    return 'ran';
  }
}

let clock: ManualClock;
let app: TestingModule;
let orders: Orders;
let rival: Hold;
let client: AbortController;

beforeEach(async () => {
  clock = new ManualClock();
  app = await start({ providers: [Orders] }, { connection: 'memory' }, clock);
  orders = app.get(Orders);
  rival = await app.get(LockService).acquire('order:taken', { lease: '1h' });
  client = new AbortController();
});

afterEach(async () => {
  await rival.release();
  await app.close();
});

describe('The option signal of @Locked', () => {
  it.each<[string, (charge: Charge) => Promise<unknown>]>([
    ['a promise', (charge) => orders.pay('taken', charge)],
    ['a key function', (charge) => orders.paySometimes('taken', charge)],
    ['an Observable', (charge) => lastValueFrom(orders.observe('taken', charge))],
    ['an iterable', (charge) => orders.iterate('taken', charge).next()],
  ])('ends the wait of a call when its caller aborts: %s', async (_, call) => {
    const outcome = caught(call({ signal: client.signal }), LockAbortedError);
    await clock.advance(1000);
    client.abort(new Error('the customer left'));
    expect((await outcome).cause).toBe(client.signal.reason);
    await rival.release();
    await clock.advance(1000);
    expect(orders.runs).toBe(0);
    expect(runtimeOf(app).grants.size).toBe(0);
  });

  it('ends the wait for a permit of a limit', async () => {
    let leave = (): void => {};
    const inside = app
      .get(LockService)
      .withLock('order:full', { limit: 1 }, () => new Promise<void>((done) => (leave = done)));
    await clock.advance(0);
    const outcome = caught(orders.payWithinALimit('full', { signal: client.signal }), LockAbortedError);
    await clock.advance(1000);
    client.abort();
    await outcome;
    leave();
    await inside;
    expect(orders.runs).toBe(0);
  });

  it('refuses a call whose caller has aborted before', async () => {
    client.abort();
    await caught(orders.pay('free', { signal: client.signal }), LockAbortedError);
    expect(orders.runs).toBe(0);
  });

  it('concerns only its own call, and may be missing', async () => {
    const outcomes = [orders.pay('taken', {}), orders.pay('taken', { signal: new AbortController().signal })];
    const aborted = caught(orders.pay('taken', { signal: client.signal }), LockAbortedError);
    await clock.advance(1000);
    client.abort();
    await aborted;
    await rival.release();
    await clock.advance(1000);
    await expect(Promise.all(outcomes)).resolves.toEqual(['ran', 'ran']);
  });

  it('leaves a call alone that runs under the lock', async () => {
    const running = orders.untilAborted('free', { signal: client.signal });
    await clock.advance(1000);
    client.abort();
    await expect(running).resolves.toBe('ran');
  });

  it('is called on the instance', async () => {
    const outcome = caught(orders.untilStopped('taken'), LockAbortedError);
    await clock.advance(1000);
    orders.stop.abort();
    expect((await outcome).cause).toBe(orders.stop.signal.reason);
  });

  it('fails the call if it fails or returns something else, before anything is locked', async () => {
    await expect(orders.failing('free')).rejects.toBe(failure);
    const error = await caught(orders.pay('free', { signal: 'soon' as never }), LockOptionsError);
    expect(error.message).toBe(
      'the result of signal of @Locked Orders.pay must be an AbortSignal or undefined, not "soon"',
    );
    expect(orders.runs).toBe(0);
    expect([...runtimeOf(app).grants].map(({ name }) => name)).toEqual(['order:taken']);
  });

  it('must be a function, and belongs to methods only', () => {
    const signal = AbortSignal.timeout(1000);
    expect(thrownBy(() => Locked('order', { signal: signal as never }), LockOptionsError).message).toContain(
      'signal must be a function that finds the signal among the arguments of the method, not ',
    );
    const handler = () => LockedHandler(() => 'order', { signal: signalOf } as never);
    expect(thrownBy(handler, LockOptionsError).message).toContain('unknown option "signal" of @LockedHandler');
  });
});
