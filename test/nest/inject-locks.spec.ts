import { Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { getLocksToken, InjectLocks, LockOptionsError, LockService, RedisLockModule } from 'nest-redis-lock';
import { start } from './applications.js';

@Injectable()
class Invoices {
  constructor(
    readonly locks: LockService,
    @InjectLocks() readonly unnamed: LockService,
    @InjectLocks('billing') readonly billing: LockService,
  ) {}

  send(id: string): Promise<string> {
    return this.billing.withLock(`invoice:${id}`, () => 'sent');
  }
}

const connections = { default: 'memory', billing: 'memory' } as const;

describe('@InjectLocks()', () => {
  it('injects the service of a named connection, or that of the module', async () => {
    const app = await start({ providers: [Invoices] }, { connections });
    const { locks, unnamed, billing } = app.get(Invoices);
    expect(unnamed).toBe(locks);
    const hold = await billing.acquire('n');
    await expect(locks.forConnection('billing').tryAcquire('n')).resolves.toBeNull();
    await locks.withLock('n', { wait: 0 }, () => {
      expect(billing.currentHold()).toBeUndefined();
      expect(locks.currentHold()?.name).toBe('n');
    });
    await hold.release();
    expect(app.get(getLocksToken('billing'))).toBe(billing);
    expect(app.get(getLocksToken())).toBe(locks);
    expect(app.get<LockService>(getLocksToken('default'))).toBeInstanceOf(LockService);
    await app.close();
  });

  it('injects into modules that do not import the module, unless it is not global', async () => {
    @Module({ providers: [Invoices], exports: [Invoices] })
    class BillingModule {}
    const app = await start({ imports: [BillingModule] }, { connections });
    await expect(app.get(Invoices).send('7')).resolves.toBe('sent');
    await app.close();
    await expect(start({ imports: [BillingModule] }, { connections, isGlobal: false })).rejects.toThrow(
      "Nest can't resolve dependencies",
    );
  });

  it('with forRootAsync needs the names beside the factory', async () => {
    const compile = (connectionNames?: readonly string[]) =>
      Test.createTestingModule({
        imports: [
          RedisLockModule.forRootAsync({
            useFactory: () => ({ connections }),
            ...(connectionNames === undefined ? {} : { connectionNames }),
          }),
        ],
        providers: [Invoices],
      }).compile();
    const app = await compile(['billing', 'billing']);
    await expect(app.get(Invoices).send('7')).resolves.toBe('sent');
    await app.close();
    await expect(compile()).rejects.toThrow('or in connectionNames of forRootAsync()');
    await expect(compile(['billing', 'shipping'])).rejects.toThrow('"default" or "billing"');
  });

  it.each(['billing', [7], [''], [undefined]])('refuses %p as the names of connections', (names) => {
    const register = () =>
      RedisLockModule.forRootAsync({ useFactory: () => ({ connections }), connectionNames: names as string[] });
    // A missing name would stand for LockService itself.
    expect(register).toThrow(LockOptionsError);
  });

  it('has tokens by which services are mocked', async () => {
    const calls: string[] = [];
    const mock = (of: string) => ({
      withLock: async (name: string, work: () => unknown) => {
        calls.push(`${of} ${name}`);
        return work();
      },
    });
    const unit = await Test.createTestingModule({
      providers: [
        Invoices,
        { provide: LockService, useValue: mock('default') },
        { provide: getLocksToken('billing'), useValue: mock('billing') },
      ],
    }).compile();
    await expect(unit.get(Invoices).send('7')).resolves.toBe('sent');
    await expect(unit.get(Invoices).locks.withLock('order:7', () => 'paid')).resolves.toBe('paid');
    expect(calls).toEqual(['billing invoice:7', 'default order:7']);

    const whole = await Test.createTestingModule({
      imports: [RedisLockModule.forRoot({ connections })],
      providers: [Invoices],
    })
      .overrideProvider(LockService)
      .useValue(mock('overridden'))
      .compile();
    await whole.init();
    await expect(whole.get(Invoices).unnamed.withLock('order:8', () => 'paid')).resolves.toBe('paid');
    await expect(whole.get(Invoices).send('8')).resolves.toBe('sent');
    expect(calls.slice(2)).toEqual(['overridden order:8']);
    await whole.close();
  });
});
