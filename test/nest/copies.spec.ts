const PLACES = Symbol.for('nest-redis-lock: places of the copies of the library');
const placesIn = (): string[] => Reflect.get(globalThis, PLACES) as string[];

describe('D57: a second copy of the library', () => {
  const other = '/app/node_modules/feature/node_modules/nest-redis-lock/dist/cjs/';
  const said = expect.stringMatching(
    /nest-redis-lock is loaded 2 times, from \S+[/\\]lib[/\\] and \/app\/node_modules\/feature\/\S+: a decorator, .* install it once/,
  );

  /** The library as another copy finds it: each load is a copy of its own, and those of one place count once. */
  const load = () =>
    jest.isolateModulesAsync(async () => {
      lib = await import('../../lib/index.js');
      nest = await import('@nestjs/common');
    });
  let lib: typeof import('../../lib/index.js');
  let nest: typeof import('@nestjs/common');

  beforeEach(load);
  afterEach(() => {
    jest.restoreAllMocks();
    if (placesIn().includes(other)) placesIn().pop();
  });

  const warnings = () => jest.spyOn(nest.Logger.prototype, 'warn').mockImplementation(() => {});

  it('is named in one line with both places, before Nest asks for an import that is there', () => {
    const warn = warnings();
    placesIn().push(other);
    lib.RedisLockModule.forRoot({ connection: 'memory' });
    expect(warn.mock.calls).toEqual([[said]]);
  });

  it('is named for options of a factory, too', () => {
    const warn = warnings();
    placesIn().push(other);
    lib.RedisLockModule.forRootAsync({ useFactory: () => ({ connection: 'memory' }) });
    expect(warn.mock.calls).toEqual([[said]]);
  });

  it('is named by the error of a method that is not wired', async () => {
    placesIn().push(other);
    class Orders {
      async pay(): Promise<void> {}
    }
    const descriptor = Object.getOwnPropertyDescriptor(Orders.prototype, 'pay') ?? {};
    const decorate = lib.Locked('order') as MethodDecorator;
    Object.defineProperty(Orders.prototype, 'pay', decorate(Orders.prototype, 'pay', descriptor) ?? descriptor);
    await expect(new Orders().pay()).rejects.toMatchObject({ name: 'LockNotWiredError', message: said });
  });

  it('is named if a lock of the other is not known', async () => {
    placesIn().push(other);
    const locks = await lib.createLocks({ connection: 'memory' });
    expect(() => locks.getMultiLock('a', { name: 'b' } as never)).toThrow(expect.objectContaining({ message: said }));
    await locks.close();
  });

  it('is not one that was loaded from the same place', async () => {
    await load();
    const warn = warnings();
    lib.RedisLockModule.forRoot({ connection: 'memory' });
    expect([warn.mock.calls, placesIn().length]).toEqual([[], 1]);
  });
});
