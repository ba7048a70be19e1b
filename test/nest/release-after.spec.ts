import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { Locked, LockOptionsError, LockService } from 'nest-redis-lock';
import { from, lastValueFrom, Observable } from 'rxjs';
import { thrownBy } from '../thrown-by.js';
import { runtimeOf, start } from './applications.js';
import { until } from './until.js';

/** As libraries for transactions have it: whoever runs inside can ask for its end. */
class Transaction {
  private static readonly current = new AsyncLocalStorage<Transaction>();
  private finish: () => void = () => {};
  private readonly ended = new Promise<void>((resolve) => (this.finish = resolve));

  static end(): Promise<void> | undefined {
    return this.current.getStore()?.ended;
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

@Injectable()
class Stock {
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

  @Locked('stock:<0>', { wait: '5s', releaseAfter: () => Promise.reject(new Error('rolled back')) })
  async rollBack(_sku: string): Promise<void> {}
}

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

  it('gives the result at once, and keeps the lock until that has ended', async () => {
    const transaction = new Transaction();
    await expect(transaction.run(() => stock.take('7'))).resolves.toBe('took 7');
    expect(asked).toEqual([['7']]);
    await expect(isLocked()).resolves.toBe(true);
    const other = stock.take('7');
    await until(() => runtimeOf(app).acquisitions.contended === 1);
    transaction.commit();
    await expect(other).resolves.toBe('took 7');
    await expect(isLocked()).resolves.toBe(false);
  });

  it('releases at once where nothing is said', async () => {
    await stock.take('7');
    await expect(isLocked()).resolves.toBe(false);
  });

  it('keeps it also where the method fails, and for an Observable', async () => {
    const calls: readonly (() => Promise<unknown>)[] = [() => stock.fail('7'), () => lastValueFrom(stock.watch('7'))];
    for (const call of calls) {
      const transaction = new Transaction();
      await transaction.run(call).catch(() => {});
      await expect(isLocked()).resolves.toBe(true);
      transaction.commit();
      await until(isFree);
    }
  });

  it('releases where what was waited for fails', async () => {
    await expect(stock.rollBack('7')).resolves.toBeUndefined();
    await until(isFree);
  });

  it('leaves nobody inside who was not: a call from the transaction waits for its end', async () => {
    const transaction = new Transaction();
    await transaction.run(() => stock.take('7'));
    await expect(locks.tryAcquire('stock:7')).resolves.toBeNull();
    expect(locks.currentHold()).toBeUndefined();
    transaction.commit();
    await until(isFree);
  });

  it('is a function', () => {
    const decorate = () => Locked('n', { releaseAfter: 'commit' as never });
    expect(thrownBy(decorate, LockOptionsError).message).toContain('releaseAfter must be a function, not "commit"');
  });
});
