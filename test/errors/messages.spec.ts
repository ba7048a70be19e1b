import { Inject, Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  LockAbortedError,
  LockConflictError,
  LockDeadlockError,
  LockError,
  LockLostError,
  LockNameError,
  LockNotWiredError,
  LockOptionsError,
  LockOrderError,
  LockOwnershipError,
  LockQueueFullError,
  LockService,
  LockShutdownError,
  LockTimeoutError,
  LockUnavailableError,
  LockUnsafeError,
  Locked,
  lockName,
  RedisLockModule,
  StaleFenceError,
  LockKeyTypeError,
} from 'nest-redis-lock';
import { checkFence, FenceHeaderError, fenceHeader, MemoryFenceStore } from 'nest-redis-lock/fencing';
import { Idempotent, IdempotencyError } from 'nest-redis-lock/idempotency';
import { until } from '../kit/until.js';
import { messagesOfLibrary } from './message-inventory.js';

@Injectable()
class Orders {
  constructor(@Inject('unused') readonly unused: string) {}

  @Locked('order:<0.id>')
  pay(_order: { readonly id: string }): Promise<void> {
    return Promise.resolve();
  }

  @Idempotent('order:<0>')
  async refund(_id: string, _amount: number): Promise<void> {}
}

const opened: TestingModule[] = [];

const open = async (
  options: object = {},
): Promise<{ locks: LockService; orders: Orders; close: () => Promise<void> }> => {
  const app = await Test.createTestingModule({
    imports: [RedisLockModule.forRoot({ connection: 'memory', ...options })],
    providers: [Orders, { provide: 'unused', useValue: '' }],
  }).compile();
  await app.init();
  opened.push(app);
  return { locks: app.get(LockService), orders: app.get(Orders), close: () => app.close() };
};

afterAll(async () => {
  await Promise.all(opened.map((app) => app.close()));
});

/** The message without its variable parts: owner ids, permit ids, times and waiters' ports. */
const stable = (message: string): string =>
  message
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:\d+/g, '<owner>')
    .replaceAll(/\b[0-9a-f]{32}\b/g, '<id>')
    .replaceAll(/-?\b\d+ ms\b/g, '<n> ms');

const failureOf = async (work: () => unknown): Promise<LockError> => {
  try {
    await work();
  } catch (error) {
    return error as LockError;
  }
  throw new Error('expected an error');
};

type Failure = readonly [
  kind: abstract new (...args: never[]) => Error,
  code: string,
  message: string,
  work: () => unknown,
];

const NOT_HELD = 'its lease ended before it was renewed or released; stop, another owner may hold it';

const CASES: readonly Failure[] = [
  [
    LockTimeoutError,
    'LOCK_TIMEOUT',
    'Lock "n" is still held by <owner> after <n> ms. Its lease ends in <n> ms unless it is renewed; wait longer or try again later',
    async () => {
      const { locks } = await open();
      await locks.acquire('n');
      await locks.acquire('n', { wait: 20 });
    },
  ],
  [
    LockTimeoutError,
    'LOCK_TIMEOUT',
    'Semaphore "s" is still left with 0 permits after <n> ms; wait longer or try again later',
    async () => {
      const semaphore = (await open()).locks.getSemaphore('s');
      await semaphore.trySetPermits(1);
      await semaphore.acquire();
      await semaphore.acquire(1, { wait: 20 });
    },
  ],
  [
    LockConflictError,
    'LOCK_CONFLICT',
    'Lock "n" is held by <owner>. Its lease ends in <n> ms unless it is renewed; only one attempt was allowed; set wait to queue for it',
    async () => {
      const { locks } = await open();
      await locks.acquire('n');
      await locks.acquire('n', { wait: 0 });
    },
  ],
  [
    LockConflictError,
    'LOCK_CONFLICT',
    'Semaphore "s" is without permits, because their number was never set; only one attempt was allowed; set wait to queue for it',
    async () => (await open()).locks.getSemaphore('s').acquire(1, { wait: 0 }),
  ],
  [
    LockDeadlockError,
    'LOCK_DEADLOCK',
    'Waiting for lock "b" would not end, because the callers that wait hold what the others wait for: a caller holds "a" (<owner>) and waits for "b"; a caller holds "b" (<owner>) and waits for "a". The first of these gave up, so that the others go on: let its locks be released, then try again; to prevent it, acquire these locks in the same order everywhere',
    async () => {
      const { locks } = await open({ lockOrder: 'off' });
      const [a, b] = [await locks.acquire('a'), await locks.acquire('b')];
      const first = b.run(() => locks.acquire('a'));
      // The one that began to wait later gives up.
      const start = Date.now();
      await until(() => Date.now() > start + 5);
      try {
        await a.run(() => locks.acquire('b'));
      } finally {
        await a.release();
        await first;
      }
    },
  ],
  [
    LockOrderError,
    'LOCK_ORDER',
    'Lock "a" must not be acquired while "b" is held: other code acquires them the other way round, so that both can wait for each other for ever; acquire them in the same order everywhere, or both at once with getMultiLock()',
    async () => {
      const { locks } = await open({ lockOrder: 'throw' });
      await locks.withLock('a', () => locks.withLock('b', () => {}));
      await locks.withLock('b', () => locks.withLock('a', () => {}));
    },
  ],
  [
    LockQueueFullError,
    'LOCK_QUEUE_FULL',
    'Lock "n" cannot be queued for: 1 callers of this process are already waiting for it; try again later, or raise maxQueue',
    async () => {
      const { locks } = await open({ maxQueue: 1 });
      await locks.acquire('n');
      const first = locks.acquire('n', { wait: '1s' }).catch(() => undefined);
      try {
        await locks.acquire('n', { wait: '1s' });
      } finally {
        await locks.getLock('n').forceRelease();
        await first;
      }
    },
  ],
  [
    LockAbortedError,
    'LOCK_ABORTED',
    'Waiting for lock "n" was aborted after <n> ms',
    async () => {
      const { locks } = await open();
      await locks.acquire('n');
      await locks.acquire('n', { signal: AbortSignal.timeout(20) });
    },
  ],
  [
    LockLostError,
    'LOCK_LOST',
    `Lock "n" is no longer held by <owner>: ${NOT_HELD}`,
    async () => {
      const hold = await (await open()).locks.acquire('n', { lease: 50 });
      await new Promise((resolve) => hold.signal.addEventListener('abort', resolve));
      hold.assertHeld();
    },
  ],
  [
    LockLostError,
    'LOCK_LOST',
    'Lock "n" was already released; this hold of <owner> has ended',
    async () => {
      const hold = await (await open()).locks.acquire('n');
      await hold.release();
      hold.assertHeld();
    },
  ],
  [
    LockLostError,
    'LOCK_LOST',
    'Only 1 of the 3 locks "a, b, c" are still held, and 2 are needed; stop, another owner may hold them',
    async () => {
      const { locks } = await open();
      const hold = await locks.getMajorityLock(locks.getLock('a'), locks.getLock('b'), locks.getLock('c')).acquire();
      const ended = new Promise((resolve) => hold.signal.addEventListener('abort', resolve));
      await Promise.all(['a', 'b'].map((name) => locks.getLock(name).forceRelease()));
      await ended;
      hold.assertHeld();
    },
  ],
  [
    LockLostError,
    'LOCK_LOST',
    'Permit <id> of semaphore "s" was already released',
    async () => {
      const semaphore = (await open()).locks.getPermitExpirableSemaphore('s');
      await semaphore.trySetPermits(1);
      const permit = await semaphore.acquire();
      await permit.release();
      permit.assertHeld();
    },
  ],
  [
    LockOwnershipError,
    'LOCK_OWNERSHIP',
    'Lock "n" has no hold here to release: call hold.release() on the hold that acquire() returned, or acquire inside runInScope()',
    async () => (await open()).locks.getLock('n').release(),
  ],
  [
    LockOwnershipError,
    'LOCK_OWNERSHIP',
    'Permit <id> is not acquired from semaphore "s": already released, or the lease ended, so others may have had it',
    async () => (await open()).locks.getPermitExpirableSemaphore('s').release('0'.repeat(32)),
  ],
  [
    LockUnavailableError,
    'LOCK_UNAVAILABLE',
    'No connection to Redis at 127.0.0.1:1 within <n> ms: connect ECONNREFUSED 127.0.0.1:1; check that it runs, and check host and port',
    async () => {
      const options = { connection: 'redis://127.0.0.1:1', commandTimeout: 200, probe: false };
      await (await open(options)).locks.acquire('n', { wait: 0 });
    },
  ],
  [
    LockKeyTypeError,
    'LOCK_KEY_TYPE',
    'The key "n" holds a hash, which belongs to something else; choose another name or a key prefix for locks',
    async () => {
      const { locks } = await open();
      await locks.acquire('n');
      await locks.getSemaphore('n').trySetPermits(1);
    },
  ],
  [
    LockOptionsError,
    'LOCK_OPTIONS',
    'unknown option "waitt" of acquire and tryAcquire; did you mean "wait"? known options are lease, renew, maxHold, wait, signal, note, kind, mode, preference, fair, fenced, limit, numbered, connection, owner',
    async () => (await open()).locks.acquire('n', { waitt: 1 } as object),
  ],
  [
    LockOptionsError,
    'LOCK_OPTIONS',
    'lease must be an integer number of milliseconds from 10 to 2147483647 or a string such as "500ms", "30s", "5m" or "1h" in that range, but it was 5',
    async () => (await open()).locks.acquire('n', { lease: 5 }),
  ],
  [
    LockOptionsError,
    'LOCK_OPTIONS',
    'fair and mode "read" contradict each other: a read-write lock has no queue',
    async () => (await open()).locks.acquire('n', { fair: true, mode: 'read' } as object),
  ],
  [
    LockOptionsError,
    'LOCK_OPTIONS',
    'A majority lock needs at least 3 locks, not 1: fewer tolerate no failure',
    async () => {
      const { locks } = await open();
      locks.getMajorityLock(locks.getLock('a'));
    },
  ],
  [
    LockOptionsError,
    'LOCK_OPTIONS',
    'connection cannot be combined with connections; list it there, under the name "default"',
    () => open({ connections: { default: 'memory' } }),
  ],
  [LockNameError, 'LOCK_NAME', 'The lock name "" is empty', async () => (await open()).locks.acquire('')],
  [
    LockNameError,
    'LOCK_NAME',
    'The key template "order:<0.id>" needs non-empty text, a finite number, a bigint, a boolean, a valid date or an ObjectId for <0.id>, but argument 0.id is undefined',
    async () => (await open()).orders.pay({} as { id: string }),
  ],
  [
    LockNameError,
    'LOCK_NAME',
    'The name lockName`order:${0}` needs non-empty text, a finite number, a bigint, a boolean, a valid date or an ObjectId for ${0}, but it is undefined',
    () => lockName`order:${undefined as never}`,
  ],
  [
    StaleFenceError,
    'LOCK_STALE_FENCE',
    'The write to "ledger 42" with the fence 6 was refused: the last write had the fence 7, which a later holder of the lock was given. Do not write again; acquire the lock anew',
    async () => {
      const store = new MemoryFenceStore();
      await checkFence(fenceHeader(7n), 'ledger 42', store);
      await checkFence(fenceHeader(6n), 'ledger 42', store);
    },
  ],
  [
    FenceHeaderError,
    'LOCK_FENCE_HEADER',
    'The header lock-fence must be a fencing token, not "seven"; send it with fenceHeader(hold.fence)',
    () => checkFence({ 'lock-fence': 'seven' }, 'ledger 42', new MemoryFenceStore()),
  ],
  [
    IdempotencyError,
    'LOCK_IDEMPOTENCY',
    '@Idempotent Orders.refund was called with the key of another call, which differs by its fingerprint; choose a new key for each operation',
    async () => {
      const app = await Test.createTestingModule({
        imports: [RedisLockModule.forRoot({ connection: 'memory' })],
        providers: [Orders, { provide: 'unused', useValue: '' }],
      }).compile();
      const orders = app.get(Orders);
      try {
        await orders.refund('7', 1);
        await orders.refund('7', 2);
      } finally {
        await app.close();
      }
    },
  ],
  [
    LockShutdownError,
    'LOCK_SHUTDOWN',
    'The application is shutting down; no more locks are granted',
    async () => {
      const { locks, close } = await open();
      await close();
      await locks.acquire('n');
    },
  ],
  [
    LockNotWiredError,
    'LOCK_NOT_WIRED',
    'Orders.pay is @Locked, but its instance was not wired by Nest, so no lock can be taken: let Nest construct the class (list it in providers or controllers; in a module that is loaded lazily, not by useFactory) in an application that imports RedisLockModule. In a unit test use Test.createTestingModule with RedisLockModule.forRoot({ connection: "memory" }). In a constructor it is too early: call the method from onModuleInit',
    () => new Orders('').pay({ id: '7' }),
  ],
];

describe('The message of an error', () => {
  it.each(CASES)('names what happened and the remedy: %p, %s, %s', async (kind, code, message, work) => {
    const error = await failureOf(work);
    expect(error).toBeInstanceOf(kind);
    expect({ code: error.code, message: stable(error.message) }).toEqual({ code, message });
  });

  it('is pinned here for every class but that of unsafe servers', () => {
    // `test/nest/start-up-probe.spec.ts` pins the message of an unsafe server, because it has such a server.
    const classes = Object.values<unknown>(jest.requireActual('nest-redis-lock')).filter(
      (value) => typeof value === 'function' && value.prototype instanceof Error,
    );
    const pinned = [...CASES.map(([kind]) => kind), LockError, LockUnsafeError];
    expect(classes.filter((kind) => !pinned.some((one) => one === kind)).map(String)).toEqual([]);
  });
});

describe('The sentences of the library', () => {
  it('change only on purpose', () => {
    expect(messagesOfLibrary().join('\n')).toMatchSnapshot();
  });

  it('have no riddles in place of a noun', () => {
    const riddle = /\b(any|every|no|some)body\b|\bwho(m|se)?ever\b|\ball the same\b|\bany more\b/i;
    expect(messagesOfLibrary().filter((text) => riddle.test(text))).toEqual([]);
  });
});
