import type { OwnerId } from '../../../context/owner-ids.js';
import type { MonotonicScheduler } from '../../../time/scheduler.js';
import type {
  HoldOutcome,
  HoldRequest,
  ReadRequest,
  ReleaseOutcome,
  ReleaseRequest,
  WaitingWriter,
  WriteRequest,
} from '../../lock-operations.js';
import type { ScriptExecutor } from '../../commands/script-executor.js';
import type { Release, ReleaseReply } from '../lock/lock-scripts.js';
import { RedisLock } from '../lock/redis-lock.js';
import type { Replicas } from '../../commands/replication/replica-confirmation.js';
import { isUnknown } from '../../commands/deadline-request.js';
import { UnknownOutcomes } from '../../commands/unknown-outcomes.js';
import { ReadLockScripts, WriteLockScripts } from './read-write-scripts.js';
import { WaitingWriters } from './waiting-writers.js';

/**
 * Read locks in Redis. Other owner ids are not used again after their release. A writer, however, may read, stop
 * reading and read again under one id: a background release of unknown outcome, or background work for a lock it left
 * behind, must not end its next read.
 *
 * The read half of a read-write lock. Owners of the write half may read as well: `hold` admits them, also again after a
 * release.
 */
export class RedisReadLock extends RedisLock<ReadRequest> {
  private readonly releases = new Map<OwnerId, Promise<unknown>>();
  private readonly unknownReleases: UnknownOutcomes;

  constructor(commands: ScriptExecutor, scheduler: MonotonicScheduler, replicas?: Replicas) {
    super(commands, scheduler, new ReadLockScripts(commands, scheduler), replicas);
    this.unknownReleases = new UnknownOutcomes(scheduler);
  }

  override async hold(request: HoldRequest): Promise<HoldOutcome> {
    const { owner } = request;
    await this.releases.get(owner);
    await this.orphans.abandon((orphan) => orphan.owner === owner);
    await this.leftBehind.abandon(owner);
    await this.unknownReleases.settled(owner);
    return super.hold(request);
  }

  override async release(request: ReleaseRequest): Promise<ReleaseOutcome> {
    const { owner } = request;
    const release = super.release(request);
    const over = Promise.allSettled([release]).then(() => {
      if (this.releases.get(owner) === over) this.releases.delete(owner);
    });
    this.releases.set(owner, over);
    return release;
  }

  protected override async tryRelease(request: Release): Promise<ReleaseReply> {
    const deadline = this.deadline();
    try {
      return await super.tryRelease(request);
    } catch (error) {
      if (isUnknown(error)) this.unknownReleases.add([request.owner], deadline);
      throw error;
    }
  }
}

/**
 * The write half of a read-write lock. A writer that also reads keeps its reads when it releases the write half.
 */
export class RedisWriteLock extends RedisLock<WriteRequest> {
  constructor(
    commands: ScriptExecutor,
    scheduler: MonotonicScheduler,
    replicas?: Replicas,
    private readonly writers = new WaitingWriters(commands, scheduler),
  ) {
    super(commands, scheduler, new WriteLockScripts(commands, writers), replicas);
  }

  /** Lets a waiting writer count as waiting for a slot from now on. Without effect after its withdrawal. */
  announce(name: string, writer: WaitingWriter): Promise<void> {
    return this.writers.announce(name, writer);
  }

  /**
   * Removes a waiting writer for good, and notifies the readers it kept out. If the outcome stays unknown, or a request on
   * its way may announce the writer again, it continues in the background.
   */
  withdraw(name: string, writer: WaitingWriter): Promise<void> {
    return this.writers.withdraw(name, writer);
  }

  override async finish(ms: number): Promise<void> {
    await Promise.all([super.finish(ms), this.writers.finish(ms)]);
  }
}
