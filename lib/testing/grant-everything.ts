import type { LockBackend } from '../backend/lock-backend.js';
import type { LockOperations } from '../backend/lock-operations.js';
import { memoryBackend } from '../backend/memory/memory-backend.js';
import { type MonotonicScheduler, Stopwatch } from '../time/monotonic-scheduler.js';

/** An acquisition that a fake granted. */
export interface FakeLockCall {
  readonly name: string;
  /** What was acquired. Spin and non-reentrant locks are `plain`. */
  readonly kind: 'plain' | 'fair' | 'fenced' | 'group' | 'read' | 'write' | 'limit' | 'semaphore' | 'permit';
}

type Kind = FakeLockCall['kind'];

/** Nothing is ever late. */
const COMMAND_TIMEOUT_MS = 1000;

/** A backend that grants every request at once, so that owners do not exclude each other. */
export const grantEverything = (scheduler: MonotonicScheduler, record: (call: FakeLockCall) => void): LockBackend => {
  const backend = memoryBackend({ commandTimeout: COMMAND_TIMEOUT_MS }, scheduler);
  let fence = 0n;
  const held = async () => ({ outcome: 'held', sent: new Stopwatch(scheduler) }) as const;
  const grant = (kind: Kind, name: string) => {
    record({ name, kind });
    return { outcome: 'acquired', sent: new Stopwatch(scheduler) } as const;
  };
  const free = (operations: LockOperations, kind: Kind): void => {
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
  free(backend.lock, 'plain');
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
  backend.permitExpirableSemaphore.acquire = async ({ name }) => ({ ...grant('permit', name), available: 0 });
  backend.permitExpirableSemaphore.release = async () => 'released';
  return backend;
};
