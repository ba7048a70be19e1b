import type { LockBackend } from '../backend/lock-backend.js';
import type { LockOperations } from '../backend/lock-operations.js';
import { memoryBackend } from '../backend/memory/memory-backend.js';
import { MemoryServer } from '../backend/memory/memory-server.js';
import { LockUnavailableError } from '../errors.js';
import { HTTP_ERRORS } from '../module/redis-lock.constants.js';
import { createRuntime, type OwnedRuntime } from '../module/runtime.factory.js';
import type { ConnectionSettings } from '../module/options/lock-settings.js';
import type { Grant } from '../holds/grant.js';
import type { LockKind } from '../holds/lock-kind.js';
import { MonotonicScheduler, type Scheduler } from '../time/scheduler.js';
import type { Acquirer, AcquireContext } from '../waiting/acquirer.js';

/** On which side of a test a client of the store is. */
export type Side = 'application' | 'elsewhere';

/** A client of the store of one connection. */
export interface TestClient {
  readonly side: Side;
  readonly connection: string;
  readonly runtime: OwnedRuntime;
  /** Acquisitions that are neither granted nor refused, in order of arrival. */
  readonly pending: ReadonlySet<AcquireContext>;
  /** Grants of fenced locks whose token no code has asked for. */
  readonly unreadFences: ReadonlySet<Grant>;
}

/** The memory in place of the server of one connection, and its clients. Each has a client id of its own. */
export class TestConnection {
  private readonly server: MemoryServer;

  constructor(
    readonly name: string,
    private readonly clock: Scheduler,
  ) {
    this.server = new MemoryServer(new MonotonicScheduler(clock, rethrow));
  }

  /** @param isRenewalFailing Asked before every renewal of this client. */
  open(side: Side, settings: ConnectionSettings, isRenewalFailing: () => boolean): TestClient {
    const backend = (_: ConnectionSettings, scheduler: MonotonicScheduler): LockBackend => {
      const memory = memoryBackend(settings, scheduler, this.server);
      for (const part of LOCK_PARTS) failRenewals(memory[part], isRenewalFailing);
      return memory;
    };
    const runtime = createRuntime(settings, this.clock, backend, this.name, HTTP_ERRORS);
    neverForget(runtime);
    const unreadFences = new Set<Grant>();
    noteFences(runtime, unreadFences);
    const pending = new Set<AcquireContext>();
    const { kinds, semaphores, expirablePermits, latches } = runtime;
    const { limit, owned, replacing, ...locks } = kinds;
    for (const { acquirer } of Object.values(locks)) recordPending(acquirer, pending);
    recordPendingOf(limit, pending);
    recordPendingOf(owned, pending);
    recordPendingOf(replacing, pending);
    recordPending(semaphores, pending);
    recordPending(expirablePermits, pending);
    recordPending(latches, pending);
    const { acquirer: spin } = kinds.spin;
    const withBackoff = spin.with.bind(spin);
    spin.with = (backoff) => recordPending(withBackoff(backoff), pending);
    return { side, connection: this.name, runtime, pending, unreadFences };
  }
}

const rethrow = (error: unknown): never => {
  throw error;
};

/** Keeps holds that nothing refers to: a leak of the test is told by its own check, and not by the garbage collection. */
export const neverForget = ({ grants }: OwnedRuntime): void => {
  grants.whenCollected = () => {};
};

/** Keeps the grants of fenced locks until code asks for their token. */
const noteFences = ({ grants }: OwnedRuntime, unread: Set<Grant>): void => {
  const add = grants.add.bind(grants);
  grants.add = (grant) => {
    const { fence } = grant;
    const read = (): bigint | undefined => {
      unread.delete(grant);
      return fence;
    };
    if (fence !== undefined) {
      unread.add(grant);
      Object.defineProperty(grant, 'fence', { get: read });
    }
    add(grant);
  };
};

const LOCK_PARTS = ['lock', 'fairLock', 'fencedLock', 'groupLock', 'readLock', 'writeLock', 'limit'] as const;

/** Changes the operations of one client. */
const failRenewals = (operations: LockOperations, isFailing: () => boolean): void => {
  const renew = operations.renew.bind(operations);
  operations.renew = (renewals) => (isFailing() ? Promise.reject(unanswered()) : renew(renewals));
};

const unanswered = (): LockUnavailableError =>
  new LockUnavailableError('A renewal was not answered, because the test called failNextRenewal()', 'refused', false);

/** Changes kinds that are made when they are asked for. */
const recordPendingOf = (kinds: { of(chosen: never): LockKind }, pending: Set<AcquireContext>): void => {
  const of = kinds.of.bind(kinds);
  kinds.of = (chosen) => {
    const kind = of(chosen);
    return { ...kind, acquirer: recordPending(kind.acquirer, pending) };
  };
};

/** Changes the acquirer of one client. */
const recordPending = <A extends Acquirer<never, unknown>>(acquirer: A, pending: Set<AcquireContext>): A => {
  const acquire = acquirer.acquire.bind(acquirer);
  acquirer.acquire = async function recorded<T>(...given: Parameters<typeof acquire>): Promise<T> {
    const [asked] = given;
    pending.add(asked);
    try {
      return (await acquire(...given)) as T;
    } finally {
      pending.delete(asked);
    }
  };
  return acquirer;
};
