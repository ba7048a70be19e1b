import { Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { currentHold, type Hold, Locked, LockService, RedisLockModule, SingleFlight } from '../../lib/index.js';

/** Begins only when it is awaited, as queries of knex, mongoose and Prisma do, and tells under which lock. */
class Query implements PromiseLike<string> {
  static begun = 0;

  then<A, B>(
    resolve?: ((value: string) => A | PromiseLike<A>) | null,
    reject?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): PromiseLike<A | B> {
    Query.begun += 1;
    const name = currentHold()?.name ?? 'no lock';
    return Promise.resolve(name).then(resolve, reject);
  }
}

const query = (): Promise<string> => new Query() as unknown as Promise<string>;

@Injectable()
class Orders {
  @Locked('one')
  one(): Promise<string> {
    return query();
  }

  @Locked(() => ['several', 'names'])
  several(): Promise<string> {
    return query();
  }

  @Locked('read', { mode: 'read' })
  read(): Promise<string> {
    return query();
  }

  @Locked('limit', { limit: 2 })
  limit(): Promise<string> {
    return query();
  }

  @Locked('async')
  async asynchronous(): Promise<string> {
    return query();
  }

  @SingleFlight('flight')
  flight(): Promise<string> {
    return query();
  }
}

describe('D60: a result that begins only when it is awaited', () => {
  let module: TestingModule;

  beforeAll(async () => {
    const imports = [RedisLockModule.forRoot({ connection: 'memory', keyPrefix: '', shutdownTimeout: 1 })];
    module = await Test.createTestingModule({ imports, providers: [Orders] }).compile();
    await module.init();
  });
  beforeEach(() => void (Query.begun = 0));
  afterAll(() => module.close());

  const locks = (): LockService => module.get(LockService);
  const orders = (): Orders => module.get(Orders);
  const ofElected = (): Promise<unknown> =>
    new Promise((resolve) => {
      const election = locks().getLeaderElection('leader', {
        onElected: () => ({ then: (elected: () => void) => (resolve(currentHold()?.name), elected()) }),
      });
      election.start();
    });

  const ways: readonly (readonly [string, string, () => unknown])[] = [
    ['a method', 'one', () => orders().one()],
    ['a method with several locks', 'names, several', () => orders().several()],
    ['a method that reads', 'read', () => orders().read()],
    ['a method with a limit', 'limit', () => orders().limit()],
    ['an async method', 'async', () => orders().asynchronous()],
    ['a method with shared results', '{flight}:flight', () => orders().flight()],
    ['withLock()', 'w', () => locks().withLock('w', query)],
    ['an async callback of withLock()', 'w', () => locks().withLock('w', async () => query())],
    ['withLock() of a lock', 'w', () => locks().getFairLock('w').withLock(query)],
    ['withLock() of several', 'a, b', () => locks().getMultiLock('a', 'b').withLock(query)],
    ['withLock() of a limit', 'l', () => locks().withLock('l', { limit: 2 }, query)],
    ['singleFlight()', '{s}:flight', () => locks().singleFlight('s', query)],
    ['run() of a hold', 'r', async () => (await locks().acquire('r')).run(query)],
    ['run() of several', 'a, b', async () => release(await locks().getMultiLock('a', 'b').acquire())],
  ];

  const release = async (hold: Hold): Promise<string> => {
    const result = await hold.run(query);
    await hold.release();
    return result;
  };

  it.each(ways)('begins, once, under the lock: %s', async (_, name, way) => {
    await expect(way()).resolves.toBe(name);
    expect(Query.begun).toBe(1);
  });

  it('begins, once, in the scope: runInScope()', async () => {
    const inside = await locks().runInScope(
      () =>
        ({
          then: (resolve: (held: Promise<boolean>) => void) => {
            resolve(
              locks()
                .acquire('in-scope')
                .then(() => locks().getLock('in-scope').isHeldByCurrentScope()),
            );
          },
        }) as unknown as Promise<boolean>,
    );
    expect(inside).toBe(true);
  });

  it('begins under the lock of the leader', async () => {
    await expect(ofElected()).resolves.toBe('leader');
  });

  it.each([
    [
      'that throws when it begins',
      {
        then: () => {
          throw new Error('no connection');
        },
      },
    ],
    ['that rejects', { then: (_: unknown, reject: (error: Error) => void) => reject(new Error('no connection')) }],
  ])('releases the lock after one %s', async (_, lazy) => {
    await expect(locks().withLock('fails', () => lazy as unknown as Promise<void>)).rejects.toThrow('no connection');
    await expect(locks().getLock('fails').isLocked()).resolves.toBe(false);
  });
});
