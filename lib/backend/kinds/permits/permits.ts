import type { PermitId, PermitIds } from '../../../context/permit-ids.js';
import type { MonotonicScheduler, Stopwatch } from '../../../time/scheduler.js';
import type { GivenUp } from '../../backend-listener.js';
import type { Renewal, RenewOutcome } from '../../lock-operations.js';
import {
  type PermitLeaseOutcome,
  type PermitOutcome,
  type PermitRelease,
  type PermitRequest,
  PermitScripts,
  type PermitState,
} from './permit-scripts.js';
import { RedisCounter, tooManyPermits } from '../counters/counters.js';
import type { ScriptExecutor } from '../../commands/script-executor.js';
import { BatchedRenewals } from '../batched-renewals.js';
import { enoughReplicas } from '../../commands/replication/enough-replicas.js';
import type { IdempotentRequest, IdempotentRequests } from '../../commands/idempotent-requests.js';
import type { Replicas } from '../../commands/replication/replica-confirmation.js';
import { isUnknown, RedisOperations, type RequestLimits } from '../../commands/deadline-request.js';
import { sendAgain } from '../../commands/send-again.js';
import { OrphanReleaser } from '../../commands/orphan-releaser.js';
import { UnknownOutcomes } from '../../commands/unknown-outcomes.js';
import { writtenPermits } from '../../commands/written.js';
import { semaphoreChannel } from '../../../keys/redisson-keys.js';

/** A release that is repeated until one attempt is confirmed. */
interface UnreleasedPermits {
  /** Absent if a lease ends what may have been acquired. */
  readonly givenUp: Omit<GivenUp, 'error'> | undefined;
  readonly free: () => Promise<{ readonly now: number }>;
  readonly lease: number;
  readonly notAfter: number;
}

interface Answered<Outcome> {
  readonly outcome: Exclude<Outcome, 'late'>;
  /** Started just before the command left. */
  readonly sent: Stopwatch;
}

/**
 * Permits in Redis: runs the scripts with deadlines, and gives each request one effect even if its reply is lost.
 *
 * The operations of a semaphore whose permits have ids and leases (Redisson: `RPermitExpirableSemaphore`). Each is
 * atomic. Permits whose lease is over return to the pool with the next request for permits or numbers. They reject with
 * `LockUnavailableError` if the backend cannot decide in time, and with `LockKeyTypeError` if the name belongs to a
 * key of another type. An acquisition whose outcome stays unknown is undone by the backend, in the background, until
 * that is confirmed; every other request that fails takes no effect afterwards.
 */
export class RedisPermits extends RedisOperations {
  private readonly scripts: PermitScripts;
  private readonly counter: RedisCounter;
  private readonly orphans: OrphanReleaser<UnreleasedPermits>;
  /** Renewals by permit id: a new lease must not be followed by an older renewal. */
  private readonly unknownRenewals: UnknownOutcomes;
  private readonly renewals: BatchedRenewals;

  constructor(
    commands: ScriptExecutor,
    private readonly requests: IdempotentRequests,
    scheduler: MonotonicScheduler,
    onGivenUp: (what: GivenUp) => void = () => {},
    private readonly replicas?: Replicas,
  ) {
    super(commands, scheduler);
    this.scripts = new PermitScripts(commands);
    this.unknownRenewals = new UnknownOutcomes(scheduler);
    this.renewals = new BatchedRenewals(commands, scheduler, this.scripts, this.unknownRenewals);
    const announcements = { channelOf: semaphoreChannel, whenSet: String, whenDeleted: '' };
    this.counter = new RedisCounter(commands, requests, scheduler, announcements);
    this.orphans = new OrphanReleaser<UnreleasedPermits>(
      scheduler,
      async ({ free }) => (await free()).now,
      ({ givenUp }, error) => givenUp && onGivenUp({ ...givenUp, error }),
    );
  }

  acquire(request: PermitRequest): Promise<PermitOutcome> {
    const { name, ids, lease } = request;
    const endless = { name, request: 'acquire', count: ids.length } as const;
    const orphan: Omit<UnreleasedPermits, 'notAfter'> = {
      givenUp: Number.isFinite(lease) ? undefined : endless,
      free: () => this.releaseMany(name, ids),
      lease,
    };
    return this.inTime({
      key: name,
      deadline: this.deadline(lease),
      inTurn: true,
      send: (limits) => this.scripts.acquire(request, limits),
      read: ({ outcome, available, remaining }, sent): PermitOutcome | Promise<PermitOutcome> | undefined => {
        if (outcome === 'late') return undefined;
        if (outcome === 'acquired') return this.confirmed(request, orphan, { outcome, sent, available });
        return { outcome: 'busy', available, isSet: outcome === 'busy', remaining };
      },
      // The ids share one deadline, so either all of them are in use or none is.
      onUnknown: (notAfter, error) => this.orphans.releaseInBackground({ ...orphan, notAfter }, error),
    });
  }

  /** If the outcome stays unknown, the backend retries in the background. */
  async release(name: string, id: PermitId): Promise<PermitRelease> {
    const free = () => this.releaseOne(name, id);
    const { outcome, repeated } = await this.untilCertain(name, 1, free);
    // If only the reply was lost, the first attempt has returned the permit.
    return repeated && outcome === 'not-held' ? 'released' : outcome;
  }

  /** Releases all of them, or none if one is not in use or its lease is over. Retried in the background as well. */
  async releaseAll(name: string, ids: PermitIds): Promise<'released' | 'not-held'> {
    const free = () => this.releaseMany(name, ids);
    const { outcome, out, repeated } = await this.untilCertain(name, ids.length, free);
    return repeated && out === 0 ? 'released' : outcome;
  }

  /** @param lease Milliseconds from now; `Infinity`: until it is released. */
  async updateLease(name: string, id: PermitId, lease: number): Promise<PermitLeaseOutcome> {
    await this.unknownRenewals.settled(id);
    const send = (limits: RequestLimits) => this.scripts.updateLease(name, id, lease, limits);
    const { outcome, sent } = await this.retryOnce(name, lease, send);
    return outcome === 'held' ? { outcome, sent } : { outcome };
  }

  /**
   * Sets leases to milliseconds from now; the owner of each renewal is the permit's id. A permit whose lease has ended is
   * not restored.
   */
  renew(renewals: readonly Renewal[]): Promise<RenewOutcome> {
    return this.renewals.renew(renewals);
  }

  /** Milliseconds; `Infinity`: until it is released; `undefined`: not in use. */
  lease(name: string, id: PermitId): Promise<number | undefined> {
    return this.whenReady(name, (deadline) => this.scripts.lease(name, id, deadline));
  }

  inspect(name: string): Promise<PermitState> {
    return this.whenReady(name, (deadline) => this.scripts.inspect(name, deadline));
  }

  /** Until permits are set, this is an ordinary counter. */
  trySetPermits(name: string, total: number): Promise<boolean> {
    return this.counter.trySet(name, total);
  }

  /** Sets the total number of permits, including those in use. */
  async setPermits(name: string, total: number): Promise<void> {
    await this.retryOnce(name, Number.POSITIVE_INFINITY, (limits) => this.scripts.set(name, total, limits));
    if (!this.replicas) return;
    const so = 'it remains, but a fail-over may lose it';
    const lacking = { name, what: `the change of "${name}"`, so, outcome: 'unknown' } as const;
    await enoughReplicas(this.commands, this.replicas, writtenPermits(name), lacking);
  }

  /**
   * @param delta May be below zero.
   * @throws LockOptionsError if more would be available than a semaphore can have.
   */
  async addPermits(name: string, delta: number): Promise<void> {
    const send = (request: IdempotentRequest) => this.scripts.add(name, delta, request);
    const { outcome, count } = await this.requests.change(name, send);
    if (outcome === 'too-many') throw tooManyPermits(name, count, delta);
  }

  /**
   * Deletes the permits, including those in use, without an announcement. Resolves with whether there was anything.
   */
  async delete(name: string): Promise<boolean> {
    const send = (request: IdempotentRequest) => this.scripts.delete(name, request);
    return (await this.requests.change(name, send)).outcome === 'deleted';
  }

  /** Resolves when nothing is left to undo, or after `ms`, and ends the background releases. */
  finish(ms: number): Promise<void> {
    return this.orphans.finish(ms);
  }

  /** Confirms an acquisition once enough replicas have it; otherwise returns the permits and rejects. */
  private confirmed(
    { name, ids }: PermitRequest,
    orphan: Omit<UnreleasedPermits, 'notAfter'>,
    acquired: PermitOutcome,
  ): PermitOutcome | Promise<PermitOutcome> {
    if (!this.replicas) return acquired;
    const lacking = { name, what: `permits of "${name}"`, so: 'they were released', outcome: 'refused' } as const;
    return enoughReplicas(this.commands, this.replicas, writtenPermits(name, ids[0]), lacking).then(
      () => acquired,
      async (error: unknown) => {
        await orphan.free().catch((why: unknown) => this.orphans.releaseInBackground({ ...orphan, notAfter: 0 }, why));
        throw error;
      },
    );
  }

  /**
   * Sends a request that may be executed twice, and repeats it once if its outcome is unknown. Settles then only once
   * the server refuses the first attempt, so that it cannot overtake the caller's next request.
   */
  private async retryOnce<Outcome extends string>(
    name: string,
    lease: number,
    send: (limits: RequestLimits) => Promise<Outcome | 'late'>,
  ): Promise<Answered<Outcome>> {
    const deadline = this.deadline(lease);
    const isTold = (outcome: Outcome | 'late'): outcome is Exclude<Outcome, 'late'> => outcome !== 'late';
    const read = (outcome: Outcome | 'late', sent: Stopwatch): Answered<Outcome> | undefined =>
      isTold(outcome) ? { outcome, sent } : undefined;
    const ask = () => this.inTime({ key: name, deadline, send, read });
    try {
      return await ask();
    } catch (error) {
      if (!isUnknown(error)) throw error;
      try {
        return await sendAgain(error, ask);
      } finally {
        await this.scheduler.pause(deadline - this.scheduler.now() + 1, { keepAlive: true });
      }
    }
  }

  private releaseOne(name: string, id: PermitId): ReturnType<PermitScripts['release']> {
    return this.whenReady(name, (deadline) => this.scripts.release(name, id, deadline));
  }

  private releaseMany(name: string, ids: PermitIds): ReturnType<PermitScripts['releaseAll']> {
    return this.whenReady(name, (deadline) => this.scripts.releaseAll(name, ids, deadline));
  }

  /** Releases with two attempts. If the outcome is still unknown, goes on in the background. */
  private async untilCertain<T extends { readonly now: number }>(
    name: string,
    count: number,
    free: () => Promise<T>,
  ): Promise<T & { readonly repeated: boolean }> {
    // Without a limit: permits may have no lease, and their ids are never used again.
    const endless = { lease: Number.POSITIVE_INFINITY, notAfter: 0 };
    const goOn = (error: unknown) => {
      this.orphans.releaseInBackground({ givenUp: { name, request: 'release', count }, free, ...endless }, error);
    };
    try {
      return { ...(await free()), repeated: false };
    } catch (error) {
      return { ...(await sendAgain(error, free, goOn)), repeated: isUnknown(error) };
    }
  }
}
