import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { Locked, LockLostError, LockService } from 'nest-redis-lock';
import { firstValueFrom, from, Observable, switchMap } from 'rxjs';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { runtimeOf, start } from './applications.js';
import { caught } from '../kit/caught.js';
import { Gate } from '../kit/gate.js';

const LEASE = 10_000;

/** A service that knows only that there may be a lock around it. */
@Injectable()
class Carrier {
  constructor(@Inject(LockService) private readonly locks: LockService) {}

  async fetch(): Promise<string> {
    await Promise.resolve();
    return sleep(60_000, 'fetched', { signal: this.locks.currentHold()?.signal, ref: false });
  }

  async book(): Promise<string> {
    await Promise.resolve();
    this.locks.currentHold()?.assertHeld();
    return 'booked';
  }
}

@Injectable()
class Orders {
  readonly work = new Gate();

  constructor(@Inject(Carrier) private readonly carrier: Carrier) {}

  @Locked('order:<0>', { lease: LEASE })
  watched(_id: string): Observable<string> {
    return from(this.work.pass()).pipe(switchMap(() => ['done', 'all the same']));
  }

  @Locked('order:<0>', { lease: LEASE })
  async asking(_id: string): Promise<string> {
    await this.work.pass();
    return this.carrier.book();
  }

  @Locked('order:<0>', { lease: LEASE })
  async listening(_id: string): Promise<string> {
    return this.carrier.fetch();
  }
}

describe('A @Locked method that loses its lock', () => {
  let clock: ManualClock;
  let app: TestingModule;
  let orders: Orders;

  beforeEach(async () => {
    clock = new ManualClock();
    app = await start({ providers: [Carrier, Orders] }, { connection: 'memory' }, clock);
    orders = app.get(Orders);
  });

  afterEach(async () => {
    expect(runtimeOf(app).grants.size).toBe(0);
    await app.close();
    expect(clock.pending).toBe(0);
  });

  /** Makes the lock expire while the method runs, and then lets the method continue. */
  const lose = async (): Promise<void> => {
    await orders.work.reached;
    await clock.advance(LEASE);
    await expect(app.get(LockService).getLock('order:7').isLocked()).resolves.toBe(false);
    orders.work.open();
  };

  it('still emits its values', async () => {
    const result = firstValueFrom(orders.watched('7'));
    await lose();
    await expect(result).resolves.toBe('done');
  });

  it('sees the loss by assertHeld() in a callee', async () => {
    const result = caught(orders.asking('7'), LockLostError);
    await lose();
    expect((await result).lockName).toBe('order:7');
  });

  it('sees the loss by the signal in a callee', async () => {
    const outcome = orders.listening('7').catch((error: unknown) => error);
    await clock.advance(LEASE);
    expect(await outcome).toMatchObject({ name: 'AbortError', cause: expect.any(LockLostError) as unknown });
  });
});
