import type { LockOperations } from '../backend/lock-operations.js';
import { LockConflictError, LockUnavailableError } from '../errors.js';
import type { Acquired } from '../waiting/lock-attempts.js';
import type { Grant } from '../holds/grant.js';
import { currentBeneficiary, type HoldingContext, type ScopeContext } from '../context/owner-context.js';
import type { AsyncMutex, Unlock } from '../concurrency.js';
import { refusal } from '../waiting/wait-errors.js';
import { entered, type HeldSection } from './critical-section.js';
import {
  admit,
  nestedLimit,
  type NestingServices,
  type Request,
  requestedHold,
  requestFor,
  takenAs,
} from './requested-hold.js';
import type { HoldLifetime } from '../holds/grant-holds.js';
import type { GrantOrigin } from '../holds/hold-events.js';
import { GrantedHold } from '../holds/granted-hold.js';
import { EnclosingHolds, type Holder } from './enclosing-holds.js';
import { keepForBeneficiary, ScopePlace, stateName } from './context-lock-state.js';
import type { LockKind } from '../holds/lock-kind.js';
import { retryWhileWaiting } from '../waiting/retry-while-waiting.js';
import { type AcquireTerms, firstLease } from '../waiting/acquire.options.js';

/**
 * Acquires the read half for an owner that holds the write half: for the server both are one owner. If that fails,
 * whatever it may have acquired is released in the background, unless the owner reads after all.
 * @param reads The operations of the read half.
 * @returns `undefined` if the owner no longer writes, because it released.
 * @throws LockLostError, LockUnavailableError
 */
const readWhileWriting = async (
  write: Grant,
  reads: Pick<LockOperations, 'hold' | 'release'>,
  lease: number,
): Promise<Acquired | undefined> => {
  if (!write.isJoinable) return undefined;
  write.assertHeld();
  const { name, owner, runtime } = write;
  try {
    const reply = await reads.hold({ name, owner, count: 1, lease });
    if (reply.outcome === 'held') return { owner, sent: reply.sent, lease, fence: undefined };
  } catch (error) {
    // Even if nothing was sent: this request has cancelled the pending background release of an earlier read.
    if (error instanceof LockUnavailableError) {
      reads
        .release({ name, owner, lease })
        .catch((failure: unknown) =>
          runtime.events.emit({ type: 'release-failed', lockName: name, owner, error: failure }),
        );
    }
    throw error;
  }
  if (!write.isJoinable) return undefined;
  write.lease.lose('gone');
  write.assertHeld();
  return undefined;
};

/** The error for a reader that wants to write: it would wait for itself, so it is refused at once. */
const upgradeError = ({ name, owner }: Grant, template: string | undefined): LockConflictError =>
  new LockConflictError(
    `Lock "${name}" is held for reading by the caller itself (${owner}), so it would wait for itself: release the read lock first, take the write lock before reading, or call tryUpgrade() on its hold`,
    { lockName: name, template, details: { holder: owner } },
  );

/** Services needed to acquire the locks of one connection. */
export interface ReentrancyServices extends NestingServices {
  /** Aborts when the application shuts down: no new owner is admitted and no caller goes on waiting. */
  readonly shutdown: AbortSignal;
}

/**
 * Acquires one lock, or re-enters it. {@link EnclosingHolds} decides as whom, and so what happens:
 *
 * - `holder`: joins the grant of the context. In a scope, a section first waits for the other sections of the scope.
 * - `writer`: joins the writer's read grant, or makes it.
 * - `scope`: waits for the acquisitions of the scope, then joins its grant, or makes it.
 * - `new-owner`: makes a grant.
 *
 * The hold of a context may end before it is joined. The code then acquires as the next of them that applies.
 */
export class ReentrantAcquirer {
  private readonly enclosing: EnclosingHolds;

  constructor(
    private readonly runtime: ReentrancyServices,
    private readonly kind: LockKind,
    private readonly name: string,
    private readonly origin: GrantOrigin,
  ) {
    this.enclosing = new EnclosingHolds(runtime, name);
  }

  /** The grant that the running code may join: that of the innermost enclosing context that has one. */
  current(): Grant | undefined {
    return this.enclosing.covering(this.kind.family)?.grant;
  }

  /** A separate hold, which the caller must release. */
  acquire(terms: AcquireTerms): Promise<GrantedHold> {
    const { grants, scheduler } = this.runtime;
    const isRenewed = typeof terms.lease !== 'number';
    const request = this.request(terms, isRenewed ? grants.callerPlaces.find(scheduler.now()) : undefined);
    const acquiring = this.explained(this.acquireManually(request));
    return request.observer?.follow(acquiring, takenAs) ?? acquiring;
  }

  /** A hold for work that runs under it. Sections of one owner on one lock run one at a time, in order of arrival. */
  enter(terms: AcquireTerms): Promise<HeldSection<GrantedHold>> {
    const request = this.request(terms);
    const entering = this.enterSection(request);
    return request.observer?.follow(entering, ({ hold }) => takenAs(hold)) ?? entering;
  }

  private acquireManually(request: Request): Promise<GrantedHold> {
    if (this.kind.owner !== undefined) return this.acquireAsNewOwner(request, 'manual');
    const holder = this.enclosing.holder(this.kind.family);
    // No async wrapper: there may be many waiters, and each would pay for an extra promise.
    if (holder.as === 'new-owner') return this.acquireAsNewOwner(request, 'manual');
    const anew = (): Promise<GrantedHold> => this.acquireAnew(request, 'manual');
    const isHolder = holder.as === 'holder';
    const acquiring = isHolder ? this.join(holder.grant, request, 'manual').then((hold) => hold ?? anew()) : anew();
    const context = holder.as === 'scope' ? holder.scope : holder.context;
    return acquiring.then((hold) => this.runtime.contextLockStates.keep(context, this.stateName, hold));
  }

  private enterSection(request: Request): Promise<HeldSection<GrantedHold>> {
    const holder = this.enclosing.holder(this.kind.family);
    if (holder.as !== 'new-owner') return this.explained(this.enterAs(holder, request));
    // The usual case, on the hot path: see docs/architecture.md#hot-path.
    return this.acquireAsNewOwner(request, 'scoped').then((hold) => entered(hold), this.explainer);
  }

  /** Rejects with an error that tells more of the holder, if more is known. */
  private explained<T>(acquiring: Promise<T>): Promise<T> {
    const { explainer } = this;
    return explainer ? acquiring.catch(explainer) : acquiring;
  }

  /** Throws an error that tells more of the holder; `undefined`: nothing more is known. */
  private get explainer(): ((error: unknown) => Promise<never>) | undefined {
    const { explain } = this.runtime.grants;
    if (!explain) return undefined;
    return async (error) => {
      throw await explain(error, this.kind.family, this.name);
    };
  }

  private async enterAs(first: Holder, request: Request): Promise<HeldSection<GrantedHold>> {
    let holder = first;
    if (holder.as === 'holder') {
      const { context, grant } = holder;
      // Join before waiting for the mutex, so that the grant stays while a sibling queues, whichever ends first.
      const hold = context.kind === 'hold' ? await this.join(grant, request, 'scoped') : undefined;
      if (context.kind === 'hold' && hold) return this.enterUnder(context, hold, request);
      holder = this.enclosing.newHolder(this.kind.family);
    }
    switch (holder.as) {
      case 'writer':
        return this.enterUnder(holder.context, await this.acquireAnew(request, 'scoped'), request);
      case 'scope':
        return this.enterInScope(holder.scope, request);
      default:
        return entered(await this.acquireAsNewOwner(request, 'scoped'));
    }
  }

  /** Opens a section under a hold that the context has, once the other sections of the context have ended. */
  private async enterUnder(
    context: HoldingContext,
    hold: GrantedHold,
    request: Request,
  ): Promise<HeldSection<GrantedHold>> {
    const unlock = await this.lockSections(context, request).catch((error: unknown) => {
      // In the background: the caller need not wait for the release.
      void hold.releaseQuietly();
      throw error;
    });
    const section = this.openSection(context, hold, unlock);
    try {
      // The lease starts with the section, not with the wait for the mutex.
      await hold.refresh(request.lease);
      hold.assertHeld();
      return section;
    } catch (error) {
      void section.leave();
      throw error;
    }
  }

  private async enterInScope(scope: ScopeContext, request: Request): Promise<HeldSection<GrantedHold>> {
    const unlock = await this.lockSections(scope, request);
    try {
      return this.openSection(scope, await this.acquireInScope(scope, request, 'scoped'), unlock);
    } catch (error) {
      unlock();
      throw error;
    }
  }

  private openSection(context: HoldingContext, hold: GrantedHold, unlock: Unlock): HeldSection<GrantedHold> {
    const beneficiary = currentBeneficiary();
    if (!beneficiary || context === beneficiary) return entered(hold, unlock);
    const { contextLockStates } = this.runtime;
    const onKept = (): void => keepForBeneficiary(beneficiary, contextLockStates, hold.latest, context);
    return entered(hold, unlock, onKept);
  }

  /** For a caller that joins no hold: in its scope, if it is in one. */
  private acquireAnew(request: Request, lifetime: HoldLifetime): Promise<GrantedHold> {
    const scope = this.enclosing.scope(this.kind.family);
    return scope ? this.acquireInScope(scope, request, lifetime) : this.acquireGrant(request, lifetime);
  }

  private async acquireInScope(scope: ScopeContext, request: Request, lifetime: HoldLifetime): Promise<GrantedHold> {
    const { contextLockStates } = this.runtime;
    const unlock = await this.lock(contextLockStates.take(scope, this.acquireStateName).acquireMutex, request);
    const state = contextLockStates.take(scope, this.stateName);
    try {
      const joined = state.joinableGrant ? await this.join(state.joinableGrant, request, lifetime) : undefined;
      if (joined) return joined;
      const place = new ScopePlace(contextLockStates, scope, this.kind.family, this.name);
      const hold = await this.acquireGrant(request, lifetime, place);
      // Not in `state`: it may have been removed meanwhile, if the scope's previous grant ended.
      place.put(hold.grant);
      return hold;
    } finally {
      unlock();
      contextLockStates.removeIfIdle(scope, this.stateName);
    }
  }

  /** Acquires as the writer that the caller is, or as a new owner. */
  private acquireGrant(request: Request, lifetime: HoldLifetime, place?: ScopePlace): Promise<GrantedHold> {
    const write = this.enclosing.writing(this.kind.family)?.grant;
    if (!write) return this.acquireAsNewOwner(request, lifetime, place);
    const reading = this.acquireAsWriter(write, request, lifetime, place);
    return reading.then((hold) => hold ?? this.acquireAsNewOwner(request, lifetime, place));
  }

  private acquireAsNewOwner(request: Request, lifetime: HoldLifetime, place?: ScopePlace): Promise<GrantedHold> {
    const { runtime, kind } = this;
    const read = this.enclosing.reading(kind.family);
    if (read) return Promise.reject(upgradeError(read, request.template));
    // A new owner is not admitted while the application shuts down.
    const limit = nestedLimit(runtime, kind, request).withShutdown(runtime.shutdown);
    const asked = requestedHold(request, limit, lifetime, place);
    const lease = firstLease(request.lease, runtime.watchdog.timeout);
    return kind.acquirer.acquire(asked, lease, admit(runtime, kind, asked));
  }

  /** Reads as the owner that writes; `undefined` if it no longer writes. */
  private async acquireAsWriter(
    write: Grant,
    request: Request,
    lifetime: HoldLifetime,
    place?: ScopePlace,
  ): Promise<GrantedHold | undefined> {
    const { readWritePairs, watchdog } = this.runtime;
    const state = readWritePairs.stateOf(write);
    const unlock = await this.lock(state.acquireMutex, request);
    try {
      const joined = state.joinableGrant && (await this.join(state.joinableGrant, request, lifetime));
      if (joined) return joined;
      // Same owner id: wait for its pending commands first, or they could overtake the new one.
      await state.grant?.seal();
      const lease = firstLease(request.lease, watchdog.timeout);
      const acquired = await retryWhileWaiting(request, () => readWhileWriting(write, this.kind.operations, lease));
      if (!acquired) return undefined;
      const hold = admit(this.runtime, this.kind, requestedHold(request, request.limit, lifetime, place))(acquired);
      readWritePairs.add(write, hold.grant);
      return hold;
    } finally {
      unlock();
    }
  }

  /** Re-enters; `undefined` if the grant ended before this call got its mutex. */
  private async join(grant: Grant, request: Request, lifetime: HoldLifetime): Promise<GrantedHold | undefined> {
    // Skipped for a lost grant, which is refused as lost.
    if (!grant.isLost) this.kind.checkReentry?.(grant);
    return retryWhileWaiting(request, async () => {
      const hold = new GrantedHold(grant, lifetime, request.limit.waited, request.acquiredAt);
      if (!(await grant.reenter(hold, request.lease))) return undefined;
      request.observer?.onReentry();
      return hold;
    });
  }

  /** Sections run one at a time. Readers run concurrently with each other, unless their context also writes. */
  private async lockSections(context: HoldingContext, request: Request): Promise<Unlock> {
    const { contextLockStates } = this.runtime;
    if (this.kind.family !== 'read')
      return this.lock(contextLockStates.take(context, this.stateName).sectionMutex, request);
    if (!this.enclosing.heldIn(context, 'write')) return () => {};
    return this.lock(contextLockStates.take(context, stateName('write', this.name)).sectionMutex, request);
  }

  private async lock(mutex: AsyncMutex, request: Request): Promise<Unlock> {
    const unlockOrEnd = await mutex.lock(request.limit);
    if (typeof unlockOrEnd === 'function') return unlockOrEnd;
    throw refusal(request, unlockOrEnd, undefined);
  }

  /** The key under which contexts store the state of this lock. */
  private get stateName(): string {
    return stateName(this.kind.family, this.name);
  }

  /** A scope acquires the two halves one at a time: whether it holds one decides how it gets the other. */
  private get acquireStateName(): string {
    return this.kind.family === 'read' ? stateName('write', this.name) : this.stateName;
  }

  private request(terms: AcquireTerms, acquiredAt?: string): Request {
    return requestFor(this.runtime, this.kind, this.name, this.origin, terms, acquiredAt);
  }
}
