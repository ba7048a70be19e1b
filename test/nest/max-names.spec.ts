import { Controller, type ExecutionContext, Injectable, Post, UseInterceptors } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import {
  lockHandler,
  Locked,
  LockNameError,
  LockOptionsError,
  LockService,
  type RedisLockOptions,
  SingleFlight,
} from 'nest-redis-lock';
import { firstRepeated } from '../../lib/locks/composite-lock.js';
import { caught, thrownBy } from '../kit/caught.js';
import { adapters, runtimeOf, serve, type Served, start } from './applications.js';
import type { ReentrantLock } from '../../lib/locks/reentrant-lock.js';

/** Lines of an order that record which of them were read. */
const linesOf = (count: number) => {
  const read: number[] = [];
  const lines = Array.from({ length: count }, (_, index) => ({
    get sku(): string {
      read.push(index);
      return `sku-${index}`;
    },
  }));
  return { read, lines };
};

const namesOf = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `stock:${index}`);

interface Order {
  readonly lines: readonly { readonly sku: string }[];
}

@Injectable()
class Stock {
  @Locked('stock:<0.lines.sku>')
  async reserve({ lines }: Order): Promise<number> {
    return lines.length;
  }

  @Locked('stock:<0.lines.sku>' as string)
  async reserveAll(orders: readonly Order[]): Promise<number> {
    return orders.length;
  }

  @Locked((names: readonly string[]) => names)
  async reserveNames(names: readonly string[]): Promise<number> {
    return names.length;
  }

  @Locked('stock:<0.lines.sku>', { permits: 1 })
  async look({ lines }: Order): Promise<number> {
    return lines.length;
  }

  @SingleFlight('stock:<0.lines.sku>' as string)
  async count({ lines }: Order): Promise<number> {
    return lines.length;
  }
}

const THREE = ['a', 'b', 'c'] as const;

describe('maxNames', () => {
  let app: TestingModule;
  let locks: LockService;
  let stock: Stock;

  const open = async (options: RedisLockOptions = {}): Promise<void> => {
    app = await start({ providers: [Stock] }, { connection: 'memory', ...options });
    locks = app.get(LockService);
    stock = app.get(Stock);
  };

  afterEach(() => app.close());

  const nothingIsTaken = (): void => expect(runtimeOf(app).grants.size).toBe(0);

  it('D6: is 1000 by default: a template renders as many, and stops before element 1001 is read', async () => {
    await open();
    const enough = linesOf(1000);
    await expect(stock.reserve(enough)).resolves.toBe(1000);
    expect(enough.read).toHaveLength(1000);
    const tooMany = linesOf(1001);
    const error = await caught(stock.reserve(tooMany), LockNameError);
    expect(tooMany.read).not.toContain(1000);
    expect(error).toMatchObject({
      template: 'stock:<0.lines.sku>',
      details: { placeholder: '<0.lines.sku>', maxNames: 1000 },
    });
    expect(error.message).toContain('more than 1000 list elements');
    expect(error.message).toContain('raise maxNames');
    nothingIsTaken();
  });

  it('D6: counts the elements of lists in lists together, and reads none of a list that goes beyond', async () => {
    await open();
    const [one, two] = [linesOf(600), linesOf(401)];
    await caught(stock.reserveAll([one, two]), LockNameError);
    expect(two.read).toEqual([]);
    const fitting = linesOf(400);
    await expect(stock.reserveAll([one, fitting])).resolves.toBe(2);
    expect(fitting.read).toHaveLength(400);
  });

  it('D6: counts elements that give the same name, and lists that are empty', async () => {
    await open({ maxNames: 2 });
    const same = { lines: [{ sku: 'a' }, { sku: 'a' }, { sku: 'a' }] };
    await caught(stock.reserve(same), LockNameError);
    await caught(stock.reserveAll([{ lines: [] }, { lines: [] }, { lines: [] }]), LockNameError);
    await expect(stock.reserve({ lines: same.lines.slice(1) })).resolves.toBe(2);
  });

  it('D6: applies to key functions before their names are checked', async () => {
    await open({ maxNames: 2 });
    const names = [...THREE];
    let reads = 0;
    Object.defineProperty(names, 0, { get: () => (reads += 1) });
    const error = await caught(stock.reserveNames(names), LockNameError);
    expect(error.message).toContain('Stock.reserveNames has 3 names, and 2 are allowed');
    expect(reads).toBe(0);
    await expect(stock.reserveNames(['a', 'b'])).resolves.toBe(2);
  });

  it('D6: holds for permits and for shared results', async () => {
    await open({ maxNames: 2 });
    for (const call of [stock.look(linesOf(3)), stock.count(linesOf(3))]) {
      expect((await caught(call, LockNameError)).details).toMatchObject({ maxNames: 2 });
    }
    expect((await caught(stock.count(linesOf(2)), LockNameError)).message).toContain('must be one name');
  });

  it('D6: holds for multi-locks, for multi-locks of multi-locks, and for RedLock', async () => {
    await open({ maxNames: 3 });
    await expect(locks.getMultiLock(...THREE).withLock(() => 'done')).resolves.toBe('done');
    const error = thrownBy(() => locks.getMultiLock('a', 'a', 'a', '\ud83d'), LockNameError);
    expect(error.message).toBe(
      'A multi-lock has 4 names, and 3 are allowed; lock fewer names in one call, or raise maxNames',
    );
    const pair = locks.getMultiLock('a', 'b');
    thrownBy(() => locks.getMultiLock(pair, locks.getMultiLock('c', 'd')), LockNameError);
    const member = (name: string) => locks.getLock(name);
    thrownBy(() => locks.getMajorityLock(...THREE.map(member), member('d')), LockNameError);
    await expect(locks.getMajorityLock(...THREE.map(member)).withLock(() => 'done')).resolves.toBe('done');
  });

  it('D6: holds for the values of a group lock', async () => {
    await open({ maxNames: 2 });
    thrownBy(() => locks.getGroupLock('group', THREE), LockNameError);
    await expect(locks.getGroupLock('group', ['a', 'b']).withLock(() => 'done')).resolves.toBe('done');
  });

  it('D6: a repeated lock is found in linear time', async () => {
    await open();
    let reads = 0;
    const lockNamed = (text: string): ReentrantLock => {
      const lock = locks.getLock(text) as ReentrantLock;
      return Object.defineProperty(lock, 'name', {
        get: () => {
          reads += 1;
          return text;
        },
      });
    };
    const members = namesOf(100).map(lockNamed);
    expect(firstRepeated(members)).toBeUndefined();
    expect(reads).toBe(100);
    expect(firstRepeated([...members, lockNamed('stock:7')])?.name).toBe('stock:7');
    thrownBy(() => locks.getMultiLock('a', 'b', locks.getFairLock('a')), LockOptionsError);
  });
});

const idsOf = (context: ExecutionContext): readonly string[] =>
  context.switchToHttp().getRequest().query.ids.split(',');

@Controller('carts')
class Carts {
  @Post()
  @UseInterceptors(lockHandler(idsOf))
  merge(): string {
    return 'merged';
  }
}

describe.each(adapters)('maxNames over HTTP on %s', (_, adapter) => {
  let served: Served;

  afterEach(() => served.app.close());

  it('D6: holds for lockHandler, and the client is told that it asks for too much', async () => {
    served = await serve(adapter, { controllers: [Carts] }, { connection: 'memory', maxNames: 2 });
    const { url } = served;
    const merge = (ids: string): Promise<Response> => fetch(`${url}/carts?ids=${ids}`, { method: 'POST' });
    expect((await merge('1,2')).status).toBe(201);
    const refused = await merge('1,2,3');
    expect(refused.status).toBe(400);
    await expect(refused.json()).resolves.toMatchObject({
      error: 'LOCK_NAME',
      message: 'The request names too many things at once',
    });
  });
});
