import type { LockBackend } from '../backend/lock-backend.js';
import { runAndStart } from '../context/run-in-scope.js';
import type { OwnerIds } from '../context/owner-ids.js';
import { isConflict, LockOwnershipError } from '../errors.js';
import { parseWork, type WorkArguments } from '../validation/options.js';
import { type HeldSection, keepAtLeast, leftInBackground } from '../reentrancy/critical-section.js';
import type { Hold } from '../holds/hold.js';
import { errorOfWork } from '../holds/loss.js';
import {
  type ConflictHandler,
  isInBackground,
  parseAcquire,
  parseRunLocked,
  resultOfConflict,
  type WithLockOptions,
  type WithLockPlan,
  type WithLockRequest,
} from './options/lock.options.js';
import { inspectedQuorum, inspectLock } from '../inspection/inspect-lock.js';
import type { InspectedLock } from '../inspection/inspected-lock.js';
import type { Lock } from './lock.js';
import { acceptedTerms, type AcquireTerms, type AcquireOptions, type LockRequest } from '../waiting/acquire.options.js';
import { ReentrantAcquirer, type ReentrancyServices } from '../reentrancy/reentrant-acquirer.js';
import { type GrantOrigin, lockFields } from '../holds/hold-events.js';
import type { GrantedHold } from '../holds/granted-hold.js';
import type { LockKind } from '../holds/lock-kind.js';
import type { LockKinds } from './lock-kinds.js';

/** Services shared by the locks of one connection. Two connections are two owners, even for the same name. */
export interface LockServices extends ReentrancyServices {
  readonly backend: LockBackend;
  readonly owners: OwnerIds;
  readonly kinds: LockKinds;
}

/** The acquire methods, for every lock that implements `take` and `enter`. */
export abstract class AcquirableLock<H extends Hold = Hold> implements Lock<H> {
  abstract readonly name: string;

  constructor(readonly runtime: LockServices) {}

  /** A separate hold that the caller releases. */
  abstract take(terms: AcquireTerms): Promise<H>;

  /** A hold for a critical section: a callback or, for example, a stream. */
  abstract enter(terms: AcquireTerms): Promise<HeldSection<H>>;

  acquire(options?: AcquireOptions): Promise<H> {
    try {
      // No async wrapper: there may be many waiters, and each would pay for an extra promise.
      return this.take(this.termsOf(options));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async tryAcquire(options?: AcquireOptions): Promise<H | null> {
    return this.tryTake(this.termsOf(options, 0));
  }

  /** @internal */
  async tryTake(terms: AcquireTerms): Promise<H | null> {
    try {
      return await this.take(terms);
    } catch (error) {
      if (isConflict(error)) return null;
      throw error;
    }
  }

  withLock<T>(fn: (hold: H) => T | Promise<T>): Promise<T>;
  withLock<T>(options: AcquireOptions & WithLockOptions<'throw'>, fn: (hold: H) => T | Promise<T>): Promise<T>;
  withLock<T>(
    options: AcquireOptions & WithLockOptions<'throw' | 'skip'>,
    fn: (hold: H) => T | Promise<T>,
  ): Promise<T | undefined>;
  withLock<T, R>(
    options: AcquireOptions & WithLockOptions<ConflictHandler<R>>,
    fn: (hold: H) => T | Promise<T>,
  ): Promise<T | R>;
  withLock(options: AcquireOptions & WithLockOptions, fn: (hold: H) => unknown): Promise<unknown>;
  withLock<T>(
    ...given: WorkArguments<AcquireOptions & WithLockOptions, (hold: H) => T | Promise<T>>
  ): Promise<unknown> {
    try {
      const [options, work] = parseWork('withLock', given);
      return this.runLocked(parseRunLocked(options, this.runtime.defaults.wait), work);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** @internal Resolves with the result of the work, or with what `onConflict` makes of a conflict. */
  async runLocked(request: WithLockRequest, work: (hold: H) => unknown): Promise<unknown> {
    let section: HeldSection<H>;
    try {
      section = await this.enterFor(this.accept(request), request);
    } catch (error) {
      return resultOfConflict(request, error, []);
    }
    const { hold, run, leave } = section;
    try {
      return await run(() => runAndStart(() => work(hold)));
    } catch (error) {
      throw errorOfWork(error);
    } finally {
      await leave();
    }
  }

  /** @internal A section for work: how long its locks stay held at least, and whether its end is waited for. */
  enterFor(
    terms: AcquireTerms,
    { holdAtLeast, release }: Pick<WithLockPlan, 'holdAtLeast' | 'release'>,
  ): Promise<HeldSection<H>> {
    const entering = this.enter(terms);
    const inBackground = isInBackground(release, this.runtime.defaults);
    if (holdAtLeast === undefined && !inBackground) return entering;
    return entering.then((section) => {
      if (holdAtLeast !== undefined) keepAtLeast(section.hold, holdAtLeast);
      return inBackground ? leftInBackground(section) : section;
    });
  }

  abstract release(): Promise<void>;

  abstract forceRelease(): Promise<boolean>;

  abstract isLocked(): Promise<boolean>;

  async isHeldByCurrentScope(): Promise<boolean> {
    return (await this.holdCount()) > 0;
  }

  abstract holdCount(): Promise<number>;

  abstract remainingLease(): Promise<number>;

  abstract inspect(): Promise<InspectedLock>;

  /** @internal @throws LockOptionsError if no record of a holder would keep the note. */
  abstract checkNote(note: string): void;

  /** @internal */
  termsOf(options: AcquireOptions | undefined, defaultWait = this.runtime.defaults.wait): AcquireTerms {
    return this.accept(parseAcquire(options, defaultWait));
  }

  /** @internal */
  accept(request: LockRequest): AcquireTerms {
    if (request.note !== undefined) this.checkNote(request.note);
    return acceptedTerms(request, this.runtime);
  }
}

/** The origin of locks that code acquires by their names: one object for all of them. */
const UNNAMED: GrantOrigin = { template: undefined, method: undefined };

/**
 * The reentrant lock (Redisson: `RLock` of `getLock`), which the other kinds vary.
 * @typeParam H The type of the kind's holds.
 */
export class ReentrantLock<H extends GrantedHold = GrantedHold> extends AcquirableLock<H> {
  private readonly acquirer: ReentrantAcquirer;
  private readonly origin: GrantOrigin;

  /**
   * Created by `LockService`.
   * @param template The key template that produced the name, if any, for errors.
   * @param method The method or interceptor that is locked, if any, for events and logs: `@Locked Orders.pay`.
   */
  constructor(
    runtime: LockServices,
    readonly name: string,
    template?: string,
    private readonly kind: LockKind = runtime.kinds.plain,
    method?: string,
  ) {
    super(runtime);
    this.origin = template === undefined && method === undefined ? UNNAMED : { template, method };
    this.acquirer = new ReentrantAcquirer(runtime, kind, name, this.origin);
  }

  take(terms: AcquireTerms): Promise<H> {
    return this.acquirer.acquire(terms) as Promise<H>;
  }

  enter(terms: AcquireTerms): Promise<HeldSection<H>> {
    return this.acquirer.enter(terms) as Promise<HeldSection<H>>;
  }

  async release(): Promise<void> {
    const hold = this.acquirer.current()?.holds.latestManual;
    if (!hold) {
      throw new LockOwnershipError(
        `Lock "${this.name}" has no hold here to release: call hold.release() on the hold that acquire() returned, or acquire inside runInScope()`,
        { lockName: this.name },
      );
    }
    if ((await hold.release()) !== 'expired') return;
    throw new LockOwnershipError(
      `Lock "${this.name}" is no longer held by ${hold.owner}: its lease ended or it was force-released`,
      {
        lockName: this.name,
        details: { owner: hold.owner },
      },
    );
  }

  async forceRelease(): Promise<boolean> {
    const { runtime, kind, name } = this;
    const released = await kind.operations.forceRelease({ name, silent: kind.silent });
    const { events } = runtime;
    const type = 'force-released';
    if (released && events.hears(type)) events.emit({ type, ...lockFields(runtime, kind, name, this.origin) });
    // Holders in this process stop at once, also those without a signal.
    const own = [...runtime.grants].filter((grant) => grant.name === name).map((grant) => grant.verifyAfterCommands());
    if (released) own.push(runtime.endsByOthers.tell({ name, kind }));
    await Promise.all(own);
    return released;
  }

  async isLocked(): Promise<boolean> {
    return (await this.kind.operations.inspect(this.name, undefined)).locked;
  }

  async holdCount(): Promise<number> {
    const owner = this.acquirer.current()?.owner;
    return owner === undefined ? 0 : (await this.kind.operations.inspect(this.name, owner)).count;
  }

  async remainingLease(): Promise<number> {
    return (await this.kind.operations.inspect(this.name, undefined)).remaining;
  }

  checkNote(note: string): void {
    this.runtime.grants.checkNote(note, this.kind);
  }

  async inspect(): Promise<InspectedLock> {
    const { runtime, kind, name } = this;
    if (!kind.readNodes) return inspectLock(runtime, kind.name, name);
    return inspectedQuorum(name, await kind.readNodes(name), runtime.owners);
  }
}
