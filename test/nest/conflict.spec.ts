import { Injectable } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import {
  type Hold,
  Locked,
  LockConflictError,
  LockNameError,
  LockService,
  LockShutdownError,
  LockTimeoutError,
} from 'nest-redis-lock';
import type { ConflictContext } from 'nest-redis-lock/advanced';
import { firstValueFrom, Observable, of } from 'rxjs';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { runtimeOf, start } from './applications.js';
import { caught } from '../kit/caught.js';

const answered: ConflictContext[] = [];
const refusal = new Error('refused by onConflict');
let ownerWhileAnswering: string | undefined;

const answer = (context: ConflictContext): string => {
  answered.push(context);
  ownerWhileAnswering = locks.currentHold()?.name;
  return 'busy, sorry';
};

const refuse = (): never => {
  throw refusal;
};

@Injectable()
class Orders {
  runs = 0;

  constructor(private readonly service: LockService) {}

  @Locked('order:<0>')
  async byDefault(_id: string): Promise<string> {
    return this.ran();
  }

  @Locked('order:<0>', { wait: 0 })
  async once(_id: string): Promise<string> {
    return this.ran();
  }

  @Locked('order:<0>', { onConflict: 'skip' })
  async skip(_id: string): Promise<string | undefined> {
    return this.ran();
  }

  @Locked('stock:<0>', { onConflict: 'skip' })
  async skipAll(_skus: readonly string[]): Promise<string | undefined> {
    return this.ran();
  }

  @Locked('order:<0>', { onConflict: answer })
  async answer(_id: string, _note: object): Promise<string> {
    return this.ran();
  }

  @Locked('order:<0>', { onConflict: async (context) => answer(context), wait: 500 })
  async answerLater(_id: string): Promise<string> {
    return this.ran();
  }

  @Locked('order:<0>', { onConflict: () => Promise.reject(refusal) })
  async refuse(_id: string): Promise<string> {
    return this.ran();
  }

  @Locked('order:<0>', { onConflict: refuse })
  async refuseAtOnce(_id: string): Promise<string> {
    return this.ran();
  }

  @Locked('order:<0>', { onConflict: refuse })
  refuseObserver(_id: string): Observable<string> {
    return of(this.ran());
  }

  @Locked('order:<0>', { onConflict: refuse })
  async *refuseConsumer(_id: string): AsyncGenerator<string> {
    yield this.ran();
  }

  @Locked('order:<0>', { onConflict: answer })
  async nested(_id: string): Promise<string> {
    await this.service.acquire('order:taken', { wait: 0 });
    return this.ran();
  }

  @Locked('order:<0>', { onConflict: answer })
  async reenter(id: string): Promise<string | undefined> {
    return this.skip(id);
  }

  private ran(): string {
    this.runs += 1;
    return 'ran';
  }
}

let clock: ManualClock;
let app: TestingModule;
let orders: Orders;
let locks: LockService;
let rival: Hold;

beforeEach(async () => {
  clock = new ManualClock();
  app = await start({ providers: [Orders] }, { connection: 'memory', wait: '2s' }, clock);
  orders = app.get(Orders);
  locks = app.get(LockService);
  rival = await locks.acquire('order:taken', { lease: '1h' });
  answered.length = 0;
  ownerWhileAnswering = undefined;
});

afterEach(async () => {
  await rival.release();
  await app.close();
});

/** Settles like the promise, or resolves with `waits` if that does not settle before time passes. */
const atOnce = async <T>(promise: Promise<T>): Promise<T | 'waits'> => {
  const waits = clock.advance(0).then(() => 'waits' as const);
  return Promise.race([promise, waits]);
};

describe('A @Locked method that does not get its lock', () => {
  it('rejects with LockTimeoutError after the wait of the module', async () => {
    const outcome = caught(orders.byDefault('taken'), LockTimeoutError);
    await clock.advance(1999);
    await expect(atOnce(outcome)).resolves.toBe('waits');
    await clock.advance(1);
    const error = await outcome;
    expect(error).toMatchObject({ code: 'LOCK_TIMEOUT', lockName: 'order:taken', template: 'order:<0>' });
    expect(error.message).toContain(`is still held by ${rival.owner} after 2000 ms. Its lease ends in `);
    expect(error.details).toMatchObject({ holder: rival.owner, waited: 2000 });
    expect(orders.runs).toBe(0);
  });

  it('rejects with LockConflictError at once with wait: 0', async () => {
    const error = await atOnce(caught(orders.once('taken'), LockConflictError));
    expect(error).toMatchObject({ code: 'LOCK_CONFLICT', lockName: 'order:taken', template: 'order:<0>' });
    expect(error).toMatchObject({ details: { holder: rival.owner, remaining: 3_600_000 } });
    expect(orders.runs).toBe(0);
  });

  it('is skipped at once with onConflict: "skip"', async () => {
    await expect(atOnce(orders.skip('taken'))).resolves.toBeUndefined();
    expect(orders.runs).toBe(0);
    await expect(orders.skip('free')).resolves.toBe('ran');
  });

  it('is skipped if one of several locks is taken, and keeps none of them', async () => {
    const stock = await locks.acquire('stock:b');
    await expect(orders.skipAll(['a', 'b', 'c'])).resolves.toBeUndefined();
    expect([...runtimeOf(app).grants].map(({ name }) => name)).toEqual(['order:taken', 'stock:b']);
    await stock.release();
    await expect(orders.skipAll(['a', 'b', 'c'])).resolves.toBe('ran');
  });

  it('is answered at once by a function that gets the error and the arguments', async () => {
    const note = {};
    await expect(atOnce(orders.answer('taken', note))).resolves.toBe('busy, sorry');
    expect(answered).toEqual([{ error: expect.any(LockConflictError) as unknown, args: ['taken', note] }]);
    expect(answered[0]?.args[1]).toBe(note);
    expect(answered[0]?.error).toMatchObject({ lockName: 'order:taken', template: 'order:<0>' });
    expect(ownerWhileAnswering).toBeUndefined();
    expect(orders.runs).toBe(0);
  });

  it('is answered by an asynchronous function after the wait that it was given', async () => {
    const outcome = orders.answerLater('taken');
    await clock.advance(499);
    expect(answered).toEqual([]);
    await clock.advance(1);
    await expect(outcome).resolves.toBe('busy, sorry');
    expect(answered[0]?.error).toBeInstanceOf(LockTimeoutError);
  });

  it('rejects with the very error of a function that rejects', async () => {
    await expect(orders.refuse('taken')).rejects.toBe(refusal);
  });

  it('rejects with the very error of a function that throws, or fails with it as its results do', async () => {
    await expect(orders.refuseAtOnce('taken')).rejects.toBe(refusal);
    await expect(firstValueFrom(orders.refuseObserver('taken'))).rejects.toBe(refusal);
    await expect(orders.refuseConsumer('taken').next()).rejects.toBe(refusal);
    expect(orders.runs).toBe(0);
  });
});

describe('onConflict', () => {
  it('is not called if the lock is acquired', async () => {
    await expect(orders.answer('free', {})).resolves.toBe('ran');
    expect(answered).toEqual([]);
  });

  it('is not called if the caller holds the lock', async () => {
    await expect(orders.reenter('free')).resolves.toBe('ran');
  });

  it('is not called for a conflict inside the method', async () => {
    await caught(orders.nested('free'), LockConflictError);
    expect(answered).toEqual([]);
    expect(runtimeOf(app).grants.size).toBe(1);
  });

  it('is not called if there is no name to lock', async () => {
    await caught(orders.answer('', {}), LockNameError);
    await caught(orders.skip(''), LockNameError);
    expect(answered).toEqual([]);
  });

  it('is not called if the application shuts down', async () => {
    await rival.release();
    await app.close();
    await caught(orders.answer('free', {}), LockShutdownError);
    await caught(orders.skip('free'), LockShutdownError);
    expect(answered).toEqual([]);
  });
});
