import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import {
  type Hold,
  Locked,
  type LockedOptions,
  LockOptionsError,
  LockConflictError,
  LockService,
} from 'nest-redis-lock';
import type { LockOperations } from '../../lib/backend/lock-operations.js';
import { caught, thrownBy } from '../kit/caught.js';
import { runtimeOf } from './applications.js';
import { applicationBackends } from './application-backends.js';
import { until } from '../kit/until.js';

@Injectable()
class Shop {
  readonly visitors: string[] = [];
  /** The largest number of visitors inside at once. */
  peak = 0;
  /** Settles when the visitors may leave. */
  stay: Promise<unknown> = turnOfTheLoop();
  private inside = 0;

  constructor(private readonly locks: LockService) {}

  @Locked('catalogue', { mode: 'read' })
  async browse(visitor: string): Promise<string> {
    return this.visit(visitor);
  }

  @Locked('catalogue', { mode: 'write', wait: 0 })
  async edit(visitor: string): Promise<string> {
    return this.visit(visitor);
  }

  @Locked('catalogue', { mode: 'write', lease: '10s' })
  async rewrite(): Promise<number> {
    return this.locks.getReadWriteLock('catalogue').writeLock().remainingLease();
  }

  @Locked('queue', { fair: true })
  async stand(visitor: string): Promise<string> {
    return this.visit(visitor);
  }

  @Locked('account:<0>', { fenced: true })
  async charge(_id: string): Promise<bigint | undefined> {
    return this.locks.currentHold()?.fence;
  }

  @Locked('export', { permits: 2 })
  async export(visitor: string): Promise<string> {
    return this.visit(visitor);
  }

  @Locked('export:<0>', { permits: 1, onConflict: 'skip' })
  async exportAll(_names: readonly string[]): Promise<string | undefined> {
    return this.visit('all');
  }

  @Locked('stock:<0>', { mode: 'read' })
  async count(_skus: readonly string[]): Promise<Hold | undefined> {
    await this.visit('count');
    return this.locks.currentHold();
  }

  @Locked('stock:<0>', { mode: 'write', wait: 0 })
  async move(_skus: readonly string[]): Promise<string> {
    return this.visit('move');
  }

  @Locked('stock:<0>', { fenced: true })
  async book(_skus: readonly string[]): Promise<readonly (bigint | undefined)[]> {
    return ['stock:a', 'stock:b'].map((name) => this.locks.currentHold(name)?.fence);
  }

  private async visit(visitor: string): Promise<string> {
    this.visitors.push(visitor);
    this.inside += 1;
    this.peak = Math.max(this.peak, this.inside);
    await this.stay;
    this.inside -= 1;
    return visitor;
  }
}

describe.each(applicationBackends)('@Locked %s', (_, openBackend) => {
  const backend = openBackend();
  let app: TestingModule;
  let shop: Shop;
  let locks: LockService;

  beforeAll(() => backend.open());
  afterAll(() => backend.close());

  beforeEach(async () => {
    app = await backend.application({ providers: [Shop] });
    shop = app.get(Shop);
    locks = app.get(LockService);
  });

  afterEach(() => app.close());

  /** Whether `work` releases a lock of this kind, and no plain lock. */
  const asked = async (kind: LockOperations, work: () => Promise<unknown>): Promise<boolean> => {
    const release = jest.spyOn(kind, 'release');
    const plain = jest.spyOn(runtimeOf(app).backend.lock, 'release');
    await work();
    const calls = [release.mock.calls.length, plain.mock.calls.length];
    jest.restoreAllMocks();
    return calls[0] !== 0 && calls[1] === 0;
  };

  /** Keeps all visitors inside until the returned function is called. */
  const everybodyStays = (): (() => void) => {
    let leave = (): void => {};
    shop.stay = new Promise<void>((resolve) => (leave = resolve));
    return () => leave();
  };

  it('lets readers in concurrently, and a writer when they have left', async () => {
    const leave = everybodyStays();
    const reading = Promise.all(['a', 'b', 'c'].map((visitor) => shop.browse(visitor)));
    await until(() => shop.visitors.length === 3);
    await caught(shop.edit('too early'), LockConflictError);
    leave();
    await reading;
    expect(shop.peak).toBe(3);
    await expect(shop.edit('d')).resolves.toBe('d');
    const remaining = await shop.rewrite();
    expect(remaining).toBeGreaterThan(0);
    expect(remaining).toBeLessThanOrEqual(10_000);
  });

  it('uses the fair lock with `fair`', async () => {
    const { fairLock } = runtimeOf(app).backend;
    const inOrder = ['a', 'b', 'c', 'd'];
    const run = (): Promise<unknown> => Promise.all(inOrder.map((visitor) => shop.stand(visitor)));
    await expect(asked(fairLock, run)).resolves.toBe(true);
    expect(shop).toMatchObject({ peak: 1, visitors: inOrder });
  });

  it('gives the method a fence with `fenced`', async () => {
    const [first, second] = [await shop.charge('1'), await shop.charge('1')];
    expect(first).toEqual(expect.any(BigInt));
    expect(second).toBeGreaterThan(first ?? 0n);
    const [a, b] = await shop.book(['b', 'a']);
    expect([a, b]).toEqual([expect.any(BigInt), expect.any(BigInt)]);
  });

  it('runs as many calls at once as there are permits, and releases them', async () => {
    const semaphore = locks.getSemaphore('export');
    await semaphore.trySetPermits(4);
    const leave = everybodyStays();
    const exports = Promise.all(['a', 'b', 'c', 'd', 'e'].map((visitor) => shop.export(visitor)));
    await until(() => shop.visitors.length === 2);
    leave();
    await exports;
    expect(shop.peak).toBe(2);
    expect(shop.visitors).toHaveLength(5);
    await expect(semaphore.availablePermits()).resolves.toBe(4);
  });

  it('takes permits of every semaphore of a list, or of none', async () => {
    const [a, b] = [locks.getSemaphore('export:a'), locks.getSemaphore('export:b')];
    await a.trySetPermits(1);
    await b.trySetPermits(0);
    await expect(shop.exportAll(['a', 'b'])).resolves.toBeUndefined();
    await expect(a.availablePermits()).resolves.toBe(1);
    await b.release();
    await expect(shop.exportAll(['b', 'a'])).resolves.toBe('all');
    await expect(Promise.all([a.availablePermits(), b.availablePermits()])).resolves.toEqual([1, 1]);
  });

  it('waits at shutdown for work with permits, and releases them', async () => {
    const semaphore = locks.getSemaphore('export');
    await semaphore.delete();
    await semaphore.trySetPermits(2);
    const leave = everybodyStays();
    const running = shop.export('late');
    await until(() => shop.visitors.length === 1);
    await expect(semaphore.availablePermits()).resolves.toBe(0);
    const release = jest.spyOn(runtimeOf(app).backend.semaphore, 'releaseIfExists');
    const closed = app.close();
    await turnOfTheLoop();
    leave();
    await closed;
    await expect(release.mock.results[0]?.value).resolves.toBe(true);
    await expect(running).resolves.toBe('late');
  });

  it('locks the names of a list by the kind that is asked for', async () => {
    const leave = everybodyStays();
    const reading = Promise.all([shop.count(['a', 'b']), shop.count(['b', 'c'])]);
    await until(() => shop.visitors.length === 2);
    await caught(shop.move(['c', 'd']), LockConflictError);
    leave();
    const [hold] = await reading;
    expect(hold).toMatchObject({ name: 'stock:a, stock:b' });
    await expect(shop.move(['a', 'b', 'c'])).resolves.toBe('move');
  });
});

describe('Options that contradict each other are refused, with both named,', () => {
  const both: readonly (readonly [one: string, other: string, options: object])[] = [
    ['fair', 'mode "read"', { fair: true, mode: 'read' }],
    ['fair', 'mode "write"', { fair: true, mode: 'write' }],
    ['fenced', 'mode "read"', { fenced: true, mode: 'read' }],
    ['fair', 'fenced', { fair: true, fenced: true }],
  ];

  const wrong: readonly (readonly [options: object, message: string])[] = [
    [{ mode: 'shared' }, 'mode must be "exclusive", "read" or "write", not "shared"'],
    [{ fair: 'yes' }, 'fair must be true or false, not "yes"'],
    [{ fenced: 1 }, 'fenced must be true or false, not 1'],
  ];

  const refusedDecorator = (options: object): LockOptionsError =>
    thrownBy(() => Locked('order:<0>', options as LockedOptions), LockOptionsError);

  it.each(both)('where a method is locked: %s and %s', (one, other, options) => {
    const error = refusedDecorator(options);
    expect(error.message).toContain(`${one} and ${other} contradict each other`);
    expect(error.details).toEqual({ options: [one, other] });
  });

  it.each(['mode', 'fair', 'fenced', 'lease'])('where a method is locked: permits and %s', (other) => {
    const error = refusedDecorator({ permits: 1, [other]: other === 'lease' ? '1s' : false });
    expect(error.message).toContain(`permits and ${other} contradict each other`);
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 31, '2', null])('as are %p permits', (permits) => {
    expect(refusedDecorator({ permits }).message).toContain('permits must be a whole number from 1 to 2147483647');
  });

  it.each(wrong)('as is %p', (options, message) => {
    expect(refusedDecorator(options).message).toContain(message);
  });
});
