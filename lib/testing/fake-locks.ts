import type { LockBackend } from '../backend/lock-backend.js';
import type { LockOperations } from '../backend/lock-operations.js';
import type { LockKindName } from '../events/life-cycle-events.js';
import { memoryBackend } from '../backend/memory/memory-backend.js';
import { type MonotonicScheduler, Stopwatch } from '../time/scheduler.js';
import { adopt } from '../decorators/instance-wiring.js';
import { LockedExecutor } from '../decorators/locked.executor.js';
import { LockService } from '../lock.service.js';
import { parseModuleOptions } from '../module/options/redis-lock.options.js';
import { createRuntime } from '../module/runtime.factory.js';
import { ConnectionRegistry } from '../runtime/connection-registry.js';
import type { LockRuntime } from '../runtime/lock-runtime.js';
import { invalidOption } from '../validation/options.js';
import { ManualClock } from './manual-clock.js';
import { type LockedCallRecord, RecordingExecutor } from './recording-executor.js';
import { neverForget } from './test-connection.js';

/** An acquisition that a fake granted. */
export interface FakeLockCall {
  readonly name: string;
  /** The kind, as in events. Spin and non-reentrant locks are `reentrant`. */
  readonly kind: Exclude<LockKindName, 'spin' | 'redLock'>;
}

/** Nothing is ever late. */
const COMMAND_TIMEOUT_MS = 1000;

/** A backend that grants every request at once, so that owners do not exclude each other. */
const grantEverything = (scheduler: MonotonicScheduler, record: (call: FakeLockCall) => void): LockBackend => {
  const backend = memoryBackend({ commandTimeout: COMMAND_TIMEOUT_MS }, scheduler);
  let fence = 0n;
  const held = async () => ({ outcome: 'held', sent: new Stopwatch(scheduler) }) as const;
  const grant = (kind: FakeLockCall['kind'], name: string) => {
    record({ name, kind });
    return { outcome: 'acquired', sent: new Stopwatch(scheduler) } as const;
  };
  const free = (operations: LockOperations, kind: FakeLockCall['kind']): void => {
    operations.acquire = async ({ name }) => grant(kind, name);
    operations.hold = held;
    operations.release = async () => ({ outcome: 'released' });
    operations.leaveBehind = async () => true;
    operations.forceRelease = async () => false;
    operations.renew = async (renewals) => ({ sent: new Stopwatch(scheduler), held: renewals.map(() => true) });
  };
  backend.takeOver.detach = held;
  backend.takeOver.attach = held;
  backend.conversion.upgrade = held;
  backend.conversion.downgrade = held;
  free(backend.lock, 'reentrant');
  free(backend.fairLock, 'fair');
  free(backend.fencedLock, 'fenced');
  free(backend.groupLock, 'group');
  free(backend.readLock, 'read');
  free(backend.writeLock, 'write');
  free(backend.limit, 'limit');
  backend.limit.queue = async ({ name }) => grant('limit', name);
  backend.fencedLock.acquire = async ({ name }) => ({ ...grant('fenced', name), fence: (fence += 1n) });
  backend.fairLock.queue = async ({ name }) => grant('fair', name);
  backend.semaphore.take = async (name) => {
    record({ name, kind: 'semaphore' });
    return { outcome: 'taken', available: 0 };
  };
  backend.permitExpirableSemaphore.acquire = async ({ name }) => ({
    ...grant('permitExpirableSemaphore', name),
    available: 0,
  });
  backend.permitExpirableSemaphore.release = async () => 'released';
  return backend;
};

/** Whatever connection is named, it is this one. */
class AnyConnection extends ConnectionRegistry {
  override named(): LockRuntime {
    return this.base;
  }
}

/**
 * A `LockService` for unit tests that locks nothing and only records: every acquisition is granted at once, on every
 * connection, and no lease ends. Names and options are checked as usual.
 *
 * @example
 * const locks = new FakeLocks();
 * await locks.wire(new OrderService(locks)).pay('42');
 * expect(locks.acquired).toEqual([{ name: 'order:42', kind: 'reentrant' }]);
 */
export class FakeLocks extends LockService {
  private readonly grantsMade: FakeLockCall[];
  private readonly calls: LockedCallRecord[];
  private readonly fake: LockRuntime;
  private readonly executor: RecordingExecutor;

  constructor() {
    const made: FakeLockCall[] = [];
    // With records of holders, since code may give notes.
    const settings = parseModuleOptions({ connection: 'memory', holderRecords: { service: 'fake' } });
    // The clock stands, so nothing is left running at the end of a test.
    const runtime = createRuntime(settings, new ManualClock(), (_, scheduler) =>
      grantEverything(scheduler, (call) => made.push(call)),
    );
    neverForget(runtime);
    const connections = new AnyConnection(runtime);
    super(runtime, connections);
    const calls: LockedCallRecord[] = [];
    this.grantsMade = made;
    this.calls = calls;
    this.fake = runtime;
    this.executor = new RecordingExecutor(connections, (call) => calls.push(call));
  }

  /** Calls that acquired so far, in order; re-entries are not recorded. */
  get acquired(): readonly FakeLockCall[] {
    return [...this.grantsMade];
  }

  /** The names of the locks that were acquired and not released yet. */
  get held(): readonly string[] {
    return [...this.fake.grants].map(({ name }) => name);
  }

  /** The calls of decorated methods of wired instances, with the names they asked for. */
  lockedCalls(): readonly LockedCallRecord[] {
    return [...this.calls];
  }

  /** Forgets what was recorded. */
  clear(): void {
    this.grantsMade.length = 0;
    this.calls.length = 0;
  }

  /**
   * Lets the decorated methods of an instance use these locks, for an instance that the test constructed itself.
   * @returns the instance.
   * @throws LockOptionsError for a value that is not an object.
   */
  wire<T extends object>(instance: T): T {
    const given: unknown = instance;
    if (typeof given !== 'object' || given === null) throw invalidOption('instance', given, 'an object');
    adopt(instance, (token) => (token === LockedExecutor ? this.executor : undefined));
    return instance;
  }
}
