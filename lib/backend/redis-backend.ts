import type { MonotonicScheduler } from '../time/scheduler.js';
import type { Fencing } from './lock-operations.js';
import { type BackendListener, type GivenUp, noListener, type ServerHealth } from './backend-listener.js';
import { type LockBackend } from './lock-backend.js';
import { type PubSub } from './pubsub.js';
import type { ScriptExecutor } from './commands/script-executor.js';
import { FairLockScripts, RedisFairLock } from './kinds/fair-lock/fair-lock.js';
import { FencedLockScripts, RedisFencedLock } from './kinds/fenced-lock/fenced-lock.js';
import { LimitScripts, RedisLimit } from './kinds/limit/limit.js';
import { GroupLockScripts } from './kinds/group-lock/group-lock-scripts.js';
import { GrantingLockScripts, RedisGrantingLock } from './kinds/lock/granting-lock.js';
import type { LockScripts } from './kinds/lock/lock-scripts.js';
import { RedisLock } from './kinds/lock/redis-lock.js';
import { IdempotentRequests } from './commands/idempotent-requests.js';
import { RedisPermits } from './kinds/permits/permits.js';
import { RedisConversion } from './kinds/read-write/conversion.js';
import { RedisReadLock, RedisWriteLock } from './kinds/read-write/read-write-lock.js';
import type { Replicas } from './commands/replication/replica-confirmation.js';
import { RedisLatch, RedisSemaphore } from './kinds/counters/counters.js';
import { RedisResultStore } from './kinds/single-flight/result-store.js';
import { RedisTakeOver } from './kinds/lock/take-over.js';
import { RedisInspection } from './kinds/inspection/redis-inspection.js';
import { RedisBlockedHolds } from './kinds/deadlock/blocked-holds.js';
import type { Transport } from './transport.js';

export interface RedisBackendSettings {
  /** Default: `clock`. */
  readonly fencing?: Fencing;
  /** Number of replicas that must have a lock before it counts as acquired. Default: none. */
  readonly replicas?: Replicas | undefined;
}

/** Locks in Redis, on any topology. */
export class RedisBackend implements LockBackend {
  readonly lock: RedisGrantingLock;
  readonly fairLock: RedisFairLock;
  readonly fencedLock: RedisFencedLock;
  readonly groupLock: RedisLock;
  readonly limit: RedisLimit;
  readonly readLock: RedisReadLock;
  readonly writeLock: RedisWriteLock;
  readonly conversion: RedisConversion;
  readonly semaphore: RedisSemaphore;
  readonly permitExpirableSemaphore: RedisPermits;
  readonly countDownLatch: RedisLatch;
  readonly singleFlight: RedisResultStore;
  readonly takeOver: RedisTakeOver;
  readonly inspection: RedisInspection;
  readonly blockedHolds: RedisBlockedHolds;
  readonly pubSub: PubSub;
  private readonly commands: ScriptExecutor;
  private readonly locks: RedisLock[] = [];
  private readonly requests: IdempotentRequests;
  private watcher = noListener;

  constructor(
    private readonly transport: Transport,
    { fencing = 'clock', replicas }: RedisBackendSettings,
    private readonly scheduler: MonotonicScheduler,
  ) {
    this.commands = transport.commands;
    this.pubSub = transport.pubSub;
    const lockIn = (scripts: LockScripts): RedisLock => {
      const lock = new RedisLock(this.commands, scheduler, scripts, replicas);
      this.locks.push(lock);
      return lock;
    };
    this.lock = new RedisGrantingLock(this.commands, scheduler, new GrantingLockScripts(this.commands), replicas);
    this.locks.push(this.lock);
    this.fairLock = new RedisFairLock(this.commands, scheduler, new FairLockScripts(this.commands), replicas);
    this.locks.push(this.fairLock);
    this.fencedLock = new RedisFencedLock(
      this.commands,
      scheduler,
      new FencedLockScripts(this.commands, fencing),
      replicas,
    );
    this.locks.push(this.fencedLock);
    this.groupLock = lockIn(new GroupLockScripts(this.commands));
    this.limit = new RedisLimit(this.commands, scheduler, new LimitScripts(this.commands), replicas);
    this.locks.push(this.limit);
    this.readLock = new RedisReadLock(this.commands, scheduler, replicas);
    this.writeLock = new RedisWriteLock(this.commands, scheduler, replicas);
    this.locks.push(this.readLock, this.writeLock);
    this.conversion = new RedisConversion(this.commands, scheduler, this.readLock, this.writeLock);
    const gaveUp = (what: GivenUp): void => this.watcher.gaveUp(what);
    this.requests = new IdempotentRequests(this.commands, scheduler, gaveUp, replicas);
    this.semaphore = new RedisSemaphore(this.commands, this.requests, scheduler);
    this.countDownLatch = new RedisLatch(this.commands, this.requests, scheduler);
    this.permitExpirableSemaphore = new RedisPermits(this.commands, this.requests, scheduler, gaveUp, replicas);
    this.singleFlight = new RedisResultStore(this.commands, scheduler);
    this.takeOver = new RedisTakeOver(this.commands, scheduler, {
      plain: this.lock,
      fair: this.fairLock,
      fenced: this.fencedLock,
      spin: this.lock,
    });
    this.inspection = new RedisInspection(this.commands, scheduler);
    this.blockedHolds = new RedisBlockedHolds(this.commands, scheduler);
  }

  watch(listener: BackendListener): void {
    this.watcher = listener;
    this.commands.watch(listener);
  }

  refuse(reason: Error): void {
    this.commands.refuse(reason);
  }

  check(ms: number): Promise<readonly ServerHealth[]> {
    return this.transport.check(ms);
  }

  open(): void {
    this.commands.open();
  }

  async close(ms: number): Promise<void> {
    const end = this.scheduler.now() + ms;
    const working = [...this.locks, this.requests, this.permitExpirableSemaphore];
    await Promise.all(working.map((work) => work.finish(ms / 2)));
    await this.transport.close(Math.max(0, end - this.scheduler.now()));
  }
}
