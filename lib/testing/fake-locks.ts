import { adopt } from '../decorators/instance-wiring.js';
import { LockedExecutor } from '../decorators/locked.executor.js';
import { LockService } from '../lock.service.js';
import { parseModuleOptions } from '../module/options/redis-lock.options.js';
import { createRuntime } from '../module/runtime.factory.js';
import { ConnectionRegistry } from '../runtime/connection-registry.js';
import type { LockRuntime } from '../runtime/lock-runtime.js';
import { invalidOption } from '../validation/options.js';
import { type FakeLockCall, grantEverything } from './grant-everything.js';
import { ManualClock } from './manual-clock.js';
import { type LockedCallRecord, RecordingExecutor } from './recording-executor.js';
import { neverForget } from './test-connection.js';

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
 * expect(locks.acquired).toEqual([{ name: 'order:42', kind: 'plain' }]);
 */
export class FakeLocks extends LockService {
  private readonly grantsMade: FakeLockCall[];
  private readonly calls: LockedCallRecord[];
  private readonly fake: LockRuntime;
  private readonly executor: RecordingExecutor;

  constructor() {
    const made: FakeLockCall[] = [];
    // The clock stands, so nothing is left running at the end of a test.
    const runtime = createRuntime(parseModuleOptions({ backend: 'memory' }), new ManualClock(), (_, scheduler) =>
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

  /** What was acquired so far, in order; re-entries are not recorded. */
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
