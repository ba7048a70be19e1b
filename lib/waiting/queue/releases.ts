import type { ReleaseOutcome } from '../../backend/lock-operations.js';
import type { Busy } from '../attempt-strategy.js';

/**
 * Number of clients that received the announcement of a release. One of unknown outcome may have announced nothing: the
 * next announcement must not be taken for ours.
 */
export const notifiedBy = (outcome: ReleaseOutcome | undefined): number =>
  outcome?.outcome === 'released' ? (outcome.heard ?? 0) : 0;

/** How many of them ask for the lock now; this client included if it cannot be given the lock. */
export const askersAfter = (outcome: ReleaseOutcome | undefined): number =>
  outcome?.outcome === 'released' ? (outcome.asking ?? outcome.heard ?? 0) : 0;

/** How a wait queue learns of releases, and when it may ask the server after a release by this process. */
export interface Releases {
  /**
   * Whether a lock may pass to the next waiter without a release. Only if the release that follows is sure to wake the
   * contender, which does not ask in the meantime.
   */
  readonly allowHandOver: boolean;
  /** Whether other processes go first at the moment. */
  readonly isYielding: boolean;
  /** How long the contender may sleep if no release becomes known, ms. */
  readonly pollInterval: number;
  /**
   * Whether all releases become known. Only then may this client wait on the server, which does not always give a free
   * lock to it.
   */
  readonly isListening: boolean;
  /** Listens for releases from now on, if they are announced. */
  listen(): void;
  /**
   * Called before a lock held in this process is released on the server.
   * @param isGiven Whether this client can be given the lock, so that it need not ask.
   */
  beforeRelease(isGiven: boolean): void;
  /**
   * Called after the release. `notified` clients received its announcement, this one included if it is subscribed;
   * `others` of them, besides this one, ask for the lock now.
   */
  afterRelease(notified: number, others: number): void;
  /** Called after a release that was not announced, since another client was given what was released. */
  passedOn(): void;
  /** Called after a release with an entry that was followed by another one, if it is not known to be announced. */
  releaseWasSilent(): void;
  /** Called after a release without local waiters, after which `others` clients ask for the lock. */
  yieldTo(others: number): void;
  /** Ends a yield. Nothing is reported. */
  cancelYield(): void;
  /** Called when an attempt succeeded. @param outcome The state other waiters should assume after it. */
  acquired(outcome: Busy | undefined): void;
  /** Called when an attempt acquired nothing. */
  foundBusy(busy: Busy): void;
  close(): void;
}

/** Receives what a queue's {@link Releases} find out. */
export interface ReleaseListener {
  /** Another process released, or may have: the reply to an attempt in flight may predate that. */
  onReleaseByOther(): void;
  /** What others hold ends after so many ms, maybe without a release: a client was given it, or its lease was shortened. */
  onLease(ms: number): void;
  /** This process may ask the server now. */
  onOurTurn(): void;
  /** Releases cannot become known; repeating does not help. */
  onFailed(error: unknown): void;
}
