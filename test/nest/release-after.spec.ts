import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { type LockEvent, Locked, LockOptionsError, LockService } from 'nest-redis-lock';
import { from, lastValueFrom, Observable, Subject } from 'rxjs';
import { thrownBy } from '../kit/caught.js';
import { runtimeOf, start } from './applications.js';
import { Gate } from '../kit/gate.js';
import { until } from '../kit/until.js';

/** A transaction like that of a library: code inside can wait for its end. */
class Transaction {
  private static readonly current = new AsyncLocalStorage<Transaction>();
  private finish: () => void = () => {};
  private readonly ended = new Promise<void>((resolve) => (this.finish = resolve));

  static open(): Transaction | undefined {
    return this.current.getStore();
  }

  static end(): Promise<void> | undefined {
    return this.open()?.ended;
  }

  run<T>(fn: () => T): T {
    return Transaction.current.run(this, fn);
  }

  commit(): void {
    this.finish();
  }
}

const asked: unknown[] = [];

const transactionEnds = ({ args }: { readonly args: readonly unknown[] }): Promise<void> | undefined => {
  asked.push(args);
  return Transaction.end();
};

const ofTransaction = Object.assign(() => Transaction.end(), {
  keptFor: ({ args }: { readonly args: readonly unknown[] }) => {
    if (args.includes('unknown')) throw new LockOptionsError('no such transaction');
    return Transaction.open();
  },
});

@Injectable()
class Stock {
  readonly stops = new Subject<never>();
  private inside = 0;
  mostInside = 0;

  @Locked('stock:<0>', { wait: '5s', releaseAfter: transactionEnds })
  async take(sku: string): Promise<string> {
    return `took ${sku}`;
  }

  @Locked('stock:<0>', { wait: '5s', releaseAfter: transactionEnds })
  async fail(_sku: string): Promise<string> {
    throw new Error('sold out');
  }

  @Locked('stock:<0>', { wait: '5s', releaseAfter: transactionEnds })
  watch(_sku: string): Observable<number> {
    return from([1, 2]);
  }

  @Locked('stock:<0>', { wait: '5s', releaseAfter: transactionEnds })
  listen(_sku: string): Observable<never> {
    return this.stops;
  }

  @Locked('stock:<0>', { wait: '5s', releaseAfter: () => Promise.reject(new Error('rolled back')) })
  async rollBack(_sku: string): Promise<void> {}

  @Locked('shelf', { permits: 1, releaseAfter: transactionEnds })
  async put(): Promise<void> {}

  @Locked('stock:<0>', { wait: '5s', releaseAfter: () => failing() })
  async ask(_sku: string): Promise<string> {
    return 'asked';
  }

  @Locked('stock:<0>', { wait: '5s', releaseAfter: ofTransaction })
  async reserve(sku: string | readonly string[], and?: () => Promise<unknown>): Promise<string> {
    this.mostInside = Math.max(this.mostInside, ++this.inside);
    await (and ?? setImmediate)();
    this.inside--;
    return `reserved ${String(sku)}`;
  }

  @Locked('stock:<0>', { wait: '5s' })
  async around(_sku: string, inner: () => Promise<unknown>): Promise<unknown> {
    return inner();
  }
}

const failing = (): undefined => {
  throw new Error('nobody to ask');
};

describe('@Locked with releaseAfter', () => {
  let app: TestingModule;
  let stock: Stock;
  let locks: LockService;

  const isLocked = (): Promise<boolean> => locks.getLock('stock:7').isLocked();
  const isFree = async (): Promise<boolean> => !(await isLocked());

  beforeEach(async () => {
    asked.length = 0;
    app = await start({ providers: [Stock] });
    stock = app.get(Stock);
    locks = app.get(LockService);
  });

  afterEach(async () => {
    await app.close();
    expect(runtimeOf(app).grants.size).toBe(0);
  });

  it('returns the result at once, and keeps the lock until the promise settles', async () => {
    const transaction = new Transaction();
    await expect(transaction.run(() => stock.take('7'))).resolves.toBe('took 7');
    expect(asked).toEqual([['7']]);
    await expect(isLocked()).resolves.toBe(true);
    const other = stock.take('7');
    await until(() => runtimeOf(app).acquirer.contended === 1);
    transaction.commit();
    await expect(other).resolves.toBe('took 7');
    await expect(isLocked()).resolves.toBe(false);
  });

  it('keeps the lock also if the method fails, and for an Observable', async () => {
    const calls: readonly (() => Promise<unknown>)[] = [() => stock.fail('7'), () => lastValueFrom(stock.watch('7'))];
    for (const call of calls) {
      const transaction = new Transaction();
      await transaction.run(call).catch(() => {});
      await expect(isLocked()).resolves.toBe(true);
      transaction.commit();
      await until(isFree);
    }
  });

  it('releases permits after the promise, too', async () => {
    const shelf = locks.getSemaphore('shelf');
    await shelf.trySetPermits(1);
    const transaction = new Transaction();
    await transaction.run(() => stock.put());
    await expect(shelf.availablePermits()).resolves.toBe(0);
    transaction.commit();
    await until(async () => (await shelf.availablePermits()) === 1);
  });

  it("calls the function in the context of the method's caller", async () => {
    const transaction = new Transaction();
    const listening = transaction.run(() => lastValueFrom(stock.listen('7'), { defaultValue: 'heard' }));
    await until(() => stock.stops.observed);
    stock.stops.complete();
    await expect(listening).resolves.toBe('heard');
    await expect(isLocked()).resolves.toBe(true);
    transaction.commit();
    await until(isFree);
  });

  it('releases if the promise rejects', async () => {
    await expect(stock.rollBack('7')).resolves.toBeUndefined();
    await until(isFree);
  });

  it('does not re-enter meanwhile: a call from the transaction waits for its end', async () => {
    const transaction = new Transaction();
    await transaction.run(() => stock.take('7'));
    await expect(locks.tryAcquire('stock:7')).resolves.toBeNull();
    expect(locks.currentHold()).toBeUndefined();
    transaction.commit();
    await until(isFree);
  });

  it('releases and reports an error of the function', async () => {
    const events: LockEvent[] = [];
    locks.onEvent((event) => events.push(event));
    app.useLogger(false);
    await expect(stock.ask('7')).resolves.toBe('asked');
    await expect(isLocked()).resolves.toBe(false);
    expect(events).toEqual([{ type: 'unexpected', error: new Error('nobody to ask') }]);
  });

  describe('that is kept for an object', () => {
    const grants = (): number => runtimeOf(app).grants.size;

    it('re-enters for the same object, and releases when that has ended', async () => {
      const transaction = new Transaction();
      await transaction.run(async () => {
        await stock.reserve('7');
        await stock.reserve('7', () => stock.reserve('7'));
        await Promise.all([stock.reserve('7'), stock.reserve(['7', '8']), stock.reserve('8'), stock.reserve('7')]);
      });
      expect(grants()).toBe(2);
      const other = new Transaction();
      const waiting = other.run(() => stock.reserve('7'));
      await until(() => runtimeOf(app).acquirer.contended === 1);
      transaction.commit();
      await expect(waiting).resolves.toBe('reserved 7');
      await until(() => grants() === 1);
      other.commit();
      await until(() => grants() === 0);
    });

    it('D5: re-enters from a scope of the caller', async () => {
      const transaction = new Transaction();
      await transaction.run(async () => {
        await stock.reserve('7');
        await locks.runInScope(() => stock.reserve('7', () => stock.reserve('7')));
        await locks.runInScope(() => Promise.all([stock.reserve('7'), stock.reserve(['7', '8'])]));
      });
      expect(grants()).toBe(2);
      transaction.commit();
      await until(() => grants() === 0);
    });

    it('D5: re-enters outside the scope in which it was acquired', async () => {
      const transaction = new Transaction();
      await transaction.run(async () => {
        await locks.runInScope(() => stock.reserve('7'));
        await stock.reserve('7');
        await locks.runInScope(() => stock.reserve('7'));
      });
      expect(grants()).toBe(1);
      transaction.commit();
      await until(() => grants() === 0);
    });

    it('D5: serves concurrent callers in turn, in a scope or not', async () => {
      const transaction = new Transaction();
      const inScope = () => locks.runInScope(() => stock.reserve('7'));
      await transaction.run(() => Promise.all([inScope(), stock.reserve('7'), inScope()]));
      expect([stock.mostInside, grants()]).toEqual([1, 1]);
      transaction.commit();
      await until(isFree);
    });

    it('D5: re-enters after the caller that held the lock has ended', async () => {
      const transaction = new Transaction();
      await transaction.run(async () => {
        await stock.around('7', () => stock.reserve('7'));
        await stock.reserve('7');
        await stock.reserve('7');
      });
      expect(grants()).toBe(1);
      transaction.commit();
      await until(isFree);
    });

    it('D5: lets other calls in only when the holding caller has ended', async () => {
      const transaction = new Transaction();
      const busy = new Gate();
      let isCallerInside = true;
      await transaction.run(async () => {
        const around = stock.around('7', async () => {
          await stock.reserve('7');
          await busy.pass();
          isCallerInside = false;
        });
        await busy.reached;
        const sibling = stock.reserve('7', async () => expect(isCallerInside).toBe(false));
        const late = setImmediate('waits');
        await expect(Promise.race([sibling, late])).resolves.toBe('waits');
        busy.open();
        await around;
        await expect(sibling).resolves.toBe('reserved 7');
      });
      expect(grants()).toBe(1);
      transaction.commit();
      await until(isFree);
    });

    it('D5: re-enters if a scope of the caller held the lock before', async () => {
      const transaction = new Transaction();
      await transaction.run(async () => {
        await locks.runInScope(async () => {
          const hold = await locks.acquire('stock:7');
          await stock.reserve(['7', '8']);
          await stock.reserve('7');
          await hold.release();
        });
        await stock.reserve(['7', '8']);
      });
      expect(grants()).toBe(2);
      transaction.commit();
      await until(() => grants() === 0);
    });

    it('acquires no lock if keptFor fails', async () => {
      await expect(stock.reserve(['7', 'unknown'])).resolves.toBe('reserved 7,unknown');
      await expect(stock.reserve('unknown')).rejects.toThrow(LockOptionsError);
      expect(grants()).toBe(0);
    });
  });

  it('needs a function', () => {
    const decorate = () => Locked('n', { releaseAfter: 'commit' as never });
    expect(thrownBy(decorate, LockOptionsError).message).toContain('releaseAfter must be a function, not "commit"');
  });
});
