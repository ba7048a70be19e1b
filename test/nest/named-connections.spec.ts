import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { Controller, Get, Injectable, Param, UseInterceptors } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import type { Redis } from 'ioredis';
import {
  type Hold,
  Locked,
  LockConflictError,
  lockHandler,
  LockOptionsError,
  LockService,
  LockShutdownError,
  LockUnavailableError,
  RedisLockModule,
} from 'nest-redis-lock';
import { RedisServer } from '../servers/redis/redis-server.js';
import { adapters, runtimeOf, serve, start } from './applications.js';
import { caught } from '../kit/caught.js';
import { Gate } from '../kit/gate.js';
import { until } from '../kit/until.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';
import { scriptExecutions } from '../servers/redis/script-executions.js';

/** The servers of the default connection and of `billing`. */
const servers: RedisServer[] = [];
/** Clients without a key prefix, which show the whole keys of each server. */
const raws: Redis[] = [];

const connections = (): { readonly default: string; readonly billing: string } => {
  const [shop, billing] = servers.map(({ url }) => url);
  if (shop === undefined || billing === undefined) throw new Error('No servers');
  return { default: shop, billing };
};

/** The keys of the default connection, and those of `billing`. */
const keys = (): Promise<string[][]> => Promise.all(raws.map(async (raw) => (await raw.keys('*')).toSorted()));

const openConnections = async (): Promise<number[]> =>
  Promise.all(raws.map(async (raw) => String(await raw.client('LIST')).split('name=nest-redis-lock').length - 1));

beforeAll(async () => {
  servers.push(...(await Promise.all([RedisServer.start(), RedisServer.start()])));
  raws.push(...servers.map(({ url }) => connectAdmin(url)));
});

beforeEach(() => Promise.all(raws.map((raw) => raw.flushall())));

afterAll(async () => {
  for (const raw of raws) raw.disconnect();
  await Promise.all(servers.map((server) => server.stop()));
});

@Injectable()
class Orders {
  constructor(private readonly locks: LockService) {}

  @Locked('order:<0>')
  async pay(_id: string): Promise<string[][]> {
    return keys();
  }

  @Locked('order:<0>', { connection: 'billing' })
  async bill(_id: string): Promise<string[][]> {
    return keys();
  }

  @Locked('order:<0>', { connection: 'billing', fenced: true })
  async book(id: string): Promise<(bigint | undefined)[]> {
    const current = [this.locks.currentHold(), this.locks.currentHold(`order:${id}`)];
    return current.map((hold) => hold?.fence);
  }

  @Locked((ids: readonly string[]) => ids, { connection: 'billing' })
  async billAll(_ids: readonly string[]): Promise<string[][]> {
    return keys();
  }

  @Locked('gateway', { connection: 'billing', permits: 1 })
  async charge(): Promise<number[]> {
    return Promise.all(
      [this.locks, this.locks.forConnection('billing')].map((locks) =>
        locks.getSemaphore('gateway').availablePermits(),
      ),
    );
  }
}

describe('An application with two connections', () => {
  let app: TestingModule;
  let locks: LockService;
  let billing: LockService;

  beforeEach(async () => {
    app = await start({ providers: [Orders] }, { connections: connections() });
    locks = app.get(LockService);
    billing = locks.forConnection('billing');
  });

  afterEach(() => app.close());

  describe('locks methods', () => {
    it('on the connection that @Locked names, and on "default" where it names none', async () => {
      const orders = app.get(Orders);
      await expect(orders.pay('1')).resolves.toEqual([['order:1'], []]);
      await expect(orders.bill('1')).resolves.toEqual([[], ['order:1']]);
      await expect(orders.billAll(['b', 'a'])).resolves.toEqual([[], ['a', 'b']]);
      await expect(keys()).resolves.toEqual([[], []]);
    });

    it('with permits of the connection', async () => {
      await locks.getSemaphore('gateway').trySetPermits(7);
      await billing.getSemaphore('gateway').trySetPermits(3);
      await expect(app.get(Orders).charge()).resolves.toEqual([7, 2]);
    });

    it('so that currentHold() of the service that is injected finds the hold', async () => {
      const [innermost, named] = await app.get(Orders).book('1');
      expect(innermost).toBeGreaterThan(0n);
      expect(named).toBe(innermost);
    });

    it.each(adapters)('and whole requests on %s', async (_, adapter) => {
      @Controller()
      class Bills {
        @Get(':id')
        @UseInterceptors(lockHandler(() => 'bill', { connection: 'billing' }))
        async send(@Param('id') id: string): Promise<unknown> {
          return { id, keys: await keys() };
        }
      }
      const served = await serve(adapter, { controllers: [Bills] }, { connections: connections() });
      const response = await fetch(`${served.url}/7`);
      await expect(response.json()).resolves.toEqual({ id: '7', keys: [[], ['bill']] });
      await served.app.close();
    });
  });

  describe('has a service', () => {
    it.each([
      ['withLock', () => locks.withLock('a', { connection: 'billing' }, keys)],
      ['acquire', () => whileHeld(locks.acquire('a', { connection: 'billing' }))],
      ['tryAcquire', () => whileHeld(locks.tryAcquire('a', { connection: 'billing' }))],
      ['withLock, of any kind', () => locks.withLock('a', { connection: 'billing', mode: 'write' }, keys)],
    ])('whose %s takes the name of a connection', async (_, held) => {
      await expect(held()).resolves.toEqual([[], expect.arrayContaining(['a'])]);
      await expect(keys()).resolves.toEqual([[], []]);
    });

    it.each([
      ['getLock', () => billing.getLock('a').withLock(keys)],
      ['getFairLock', () => billing.getFairLock('a').withLock(keys)],
      ['getNonReentrantLock', () => billing.getNonReentrantLock('a').withLock(keys)],
      ['getFencedLock', () => billing.getFencedLock('a').withLock(keys)],
      ['getSpinLock', () => billing.getSpinLock('a').withLock(keys)],
      ['getGroupLock', () => billing.getGroupLock('a', ['b']).withLock(keys)],
      ['getMultiLock', () => billing.getMultiLock('a', 'b').withLock(keys)],
      ['getReadWriteLock', () => billing.getReadWriteLock('a').readLock().withLock(keys)],
      ['getSemaphore', () => billing.getSemaphore('a').trySetPermits(1).then(keys)],
      ['getPermitExpirableSemaphore', () => billing.getPermitExpirableSemaphore('a').trySetPermits(1).then(keys)],
      ['getCountDownLatch', () => billing.getCountDownLatch('a').trySetCount(1).then(keys)],
      ['singleFlight', () => billing.singleFlight('a', keys)],
      ['withLock', () => billing.withLock('a', keys)],
      ['acquire', () => whileHeld(billing.acquire('a'))],
    ])('of each connection, whose %s works there', async (_, held) => {
      const [here, there] = await held();
      expect(here).toEqual([]);
      expect(there).not.toEqual([]);
    });

    it('of each connection, from which the others can be reached', async () => {
      await expect(billing.withLock('a', { connection: 'default' }, keys)).resolves.toEqual([['a'], []]);
      await expect(billing.forConnection('default').withLock('a', keys)).resolves.toEqual([['a'], []]);
    });

    it('that says where the masters of redLock are', async () => {
      expect(() => billing.getRedLock('a')).toThrow(LockOptionsError);
    });

    it('that names the unknown connection and the known ones before anything is sent', async () => {
      const before = await calls();
      const given = { connection: 'biling' };
      const attempts = [
        locks.withLock('a', given, () => 'ran'),
        locks.acquire('a', given),
        locks.tryAcquire('a', given),
        billing.acquire('a', given),
      ];
      const errors = await Promise.all(attempts.map((attempt) => caught(attempt, LockOptionsError)));
      const expected = 'connection must be "default" or "billing", not "biling"';
      expect(errors.map(({ message }) => message)).toEqual(attempts.map(() => expected));
      expect(errors[0]?.details).toEqual({ option: 'connection', value: 'biling' });
      expect(() => locks.forConnection('biling')).toThrow(expected);
      await expect(calls()).resolves.toEqual(before);
    });

    it('that never shows what may have a password', async () => {
      const urls: unknown[] = ['redis://:s3cret@127.0.0.1', { password: 's3cret' }, ['s3cret'], null, 7, ''];
      for (const connection of urls) {
        const given = { connection: connection as string };
        // oxlint-disable-next-line no-await-in-loop -- one after the other shows which one failed
        const error = await caught(locks.acquire('a', given), LockOptionsError);
        expect(error.message).toBe(`connection must be the name of one of the module's "connections"`);
        expect(error.details).toEqual({ option: 'connection' });
        expect(() => locks.forConnection(given.connection)).toThrow('connection must be "default" or "billing"');
      }
    });
  });

  describe('keeps them apart:', () => {
    it('one name on both is two locks', async () => {
      await using here = await locks.acquire('a');
      await using there = await billing.acquire('a', { wait: 0 });
      expect(here.owner).not.toBe(there.owner);
      await caught(locks.acquire('a', { connection: 'default', wait: 0 }), LockConflictError);
      await caught(locks.acquire('a', { connection: 'billing', wait: 0 }), LockConflictError);
    });

    it('a lock is entered again on its own connection only', async () => {
      const given = { connection: 'billing' };
      const seen = await locks.withLock('a', given, async ({ owner: outer }) => {
        const again = await locks.withLock('a', given, async ({ owner }) => [owner, await raws[1]?.hget('a', owner)]);
        const elsewhere = await locks.withLock('a', ({ owner }) => owner !== outer);
        return { again: again[0] === outer, count: again[1], elsewhere };
      });
      expect(seen).toEqual({ again: true, count: '2', elsewhere: true });
    });

    it('currentHold() finds the nearest of any connection, and that of one service only its own', async () => {
      const found = (): (Hold | undefined)[] =>
        [locks, billing, locks.forConnection('default')].flatMap((service) => [
          service.currentHold(),
          service.currentHold('a'),
        ]);
      await locks.withLock('a', async (here) => {
        expect(found()).toEqual([here, here, undefined, undefined, here, here]);
        await billing.withLock('a', (there) => {
          expect(found()).toEqual([there, there, there, there, here, here]);
        });
        await billing.withLock('b', (there) => {
          expect(found()).toEqual([there, here, there, undefined, here, here]);
        });
      });
      await locks.runInScope(async () => {
        const hold = await billing.acquire('a');
        expect(found()).toEqual([undefined, hold, undefined, hold, undefined, undefined]);
        await hold.release();
      });
    });
  });

  describe('takes locks of both as one', () => {
    it('and gives back both', async () => {
      const both = locks.getMultiLock('a', billing.getLock('a'));
      await both.withLock(async (hold) => {
        await expect(keys()).resolves.toEqual([['a'], ['a']]);
        expect(locks.currentHold()).toBe(hold);
        expect(billing.currentHold()).toBe(hold);
        expect(billing.currentHold('a')).toBe(hold.members[1]);
      });
      await expect(keys()).resolves.toEqual([[], []]);
    });
  });
});

/** The number of scripts that each server has run. */
const calls = (): Promise<number[]> => Promise.all(raws.map(scriptExecutions));

const whileHeld = async (acquiring: Promise<Hold | null>): Promise<string[][]> => {
  await using hold = await acquiring;
  expect(hold?.isHeld).toBe(true);
  // The await is needed, because the hold is released as soon as the function returns.
  return await keys();
};

describe('Named connections', () => {
  it('may come from a factory', async () => {
    const useFactory = async (): Promise<{ connections: { default: string; billing: string } }> => {
      await turnOfTheLoop();
      return { connections: connections() };
    };
    const app = await Test.createTestingModule({ imports: [RedisLockModule.forRootAsync({ useFactory })] }).compile();
    await app.init();
    await expect(app.get(LockService).withLock('a', { connection: 'billing' }, keys)).resolves.toEqual([[], ['a']]);
    await app.close();
  });

  it('have the prefix of their own connections, unless the module has one', async () => {
    const [shop, billing] = servers.map(({ host, port }, index) => ({ host, port, keyPrefix: `${index}:` }));
    for (const [keyPrefix, expected] of [
      [undefined, [['0:a'], ['1:a']]],
      ['all:', [['all:a'], ['all:a']]],
    ] as const) {
      /* oxlint-disable no-await-in-loop -- one application after the other */
      const app = await start({}, { connections: { default: shop ?? '', billing: billing ?? '' }, keyPrefix });
      const locks = app.get(LockService);
      await locks.withLock('a', () =>
        locks.withLock('a', { connection: 'billing' }, async (hold) => {
          await expect(keys()).resolves.toEqual(expected);
          expect(locks.currentHold('a')).toBe(hold);
        }),
      );
      await app.close();
      /* oxlint-enable no-await-in-loop */
    }
  });

  it('are independent: one that cannot be reached fails its own locks only', async () => {
    const unreachable = 'redis://127.0.0.1:1';
    const app = await start({}, { connections: { default: connections().default, unreachable }, probe: false });
    const locks = app.get(LockService);
    await caught(locks.tryAcquire('a', { connection: 'unreachable' }), LockUnavailableError);
    await expect(locks.withLock('a', keys)).resolves.toEqual([['a'], []]);
    await app.close();
  });

  it('end together: waiters are rejected on all, holders finish, and no connection is left', async () => {
    const app = await start({}, { connections: connections(), shutdownTimeout: '10s' });
    const locks = app.get(LockService);
    const billing = locks.forConnection('billing');
    const busy = new Gate();
    const working = billing.withLock('a', async () => {
      await busy.pass();
      await caught(locks.acquire('b'), LockShutdownError);
      return billing.withLock('a', () => 'finished');
    });
    await busy.reached;
    const hold = await locks.acquire('a');
    const waiting = [locks.acquire('a', { wait: '1h' }), billing.acquire('a', { wait: Number.POSITIVE_INFINITY })];
    await until(() =>
      [undefined, 'billing'].every((connection) => runtimeOf(app, connection).acquirer.contended === 1),
    );
    let isClosed = false;
    const closed = app.close().then(() => (isClosed = true));
    await Promise.all(waiting.map((waiter) => caught(waiter, LockShutdownError)));
    await hold.release();
    await caught(billing.acquire('c'), LockShutdownError);
    expect(isClosed).toBe(false);
    busy.open();
    await expect(working).resolves.toBe('finished');
    await closed;
    await until(async () => (await openConnections()).every((count) => count === 0));
    await expect(keys()).resolves.toEqual([[], []]);
  });

  it('have one time-out for the whole shutdown, and abort the signals of their holders', async () => {
    const app = await start({}, { connections: connections(), shutdownTimeout: 60 });
    const locks = app.get(LockService);
    const holds = [await locks.acquire('a'), await locks.acquire('a', { connection: 'billing' })];
    await app.close();
    expect(holds.map(({ signal }) => signal.reason as unknown)).toEqual(holds.map(() => expect.any(LockShutdownError)));
    await expect(keys()).resolves.toEqual([['a'], ['a']]);
    await until(async () => (await openConnections()).every((count) => count === 0));
  });
});
