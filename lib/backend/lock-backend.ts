import type { OwnerId } from '../scope/owner.js';

/** Somebody wants `name` to be held `count` times by `owner` for `lease` ms. */
export interface AcquireRequest {
  readonly name: string;
  readonly owner: OwnerId;
  /** The hold count wanted: 1 for a new owner, one more than now to re-enter. Absolute, so it may be executed twice. */
  readonly count: number;
  /** Milliseconds, counted by the server from the moment it grants. */
  readonly lease: number;
}

export type AcquireOutcome =
  /** `sentAt`: the client's clock just before the command left; the lease is counted from there. */
  | { readonly outcome: 'acquired'; readonly sentAt: number }
  /** `remaining`: ms until the lease of `holder` ends by itself; -1 where it never does. */
  | { readonly outcome: 'busy'; readonly remaining: number; readonly holder: OwnerId }
  /** A re-entry found the hold gone. */
  | { readonly outcome: 'lost' };

export interface ReleaseRequest {
  readonly name: string;
  readonly owner: OwnerId;
  /** The hold count that is to remain; 0 frees the lock and wakes the waiters. */
  readonly count: number;
  /**
   * Milliseconds the rest of the hold lives on. Where nothing remains: how long the server may go on counting the hold
   * if it does not learn of the release, which is tried again for that long.
   */
  readonly lease: number;
}

/** `not-held`: the owner holds nothing under this name, because it released before or its lease ended. */
export type ReleaseOutcome = 'released' | 'still-held' | 'not-held';

export interface Renewal {
  readonly name: string;
  readonly owner: OwnerId;
}

export interface RenewOutcome {
  readonly sentAt: number;
  /** For each renewal, in order: whether the owner still held and now holds for the whole lease again. */
  readonly held: readonly boolean[];
}

export interface LockState {
  readonly locked: boolean;
  /** How often the owner asked about holds it; 0 for anybody else. */
  readonly count: number;
  /** Milliseconds until the lease ends; -1 without end, -2 where nobody holds. */
  readonly remaining: number;
}

/**
 * The transitions of a reentrant lock. Each happens at once and as a whole. They reject with `LockUnavailableError`
 * when the backend cannot decide in time, and with `WrongKeyTypeError` when something else lives under the name. An
 * acquisition whose outcome stays unknown is undone by the backend, in the background, until that is confirmed.
 */
export interface LockTransitions {
  acquire(request: AcquireRequest): Promise<AcquireOutcome>;
  release(request: ReleaseRequest): Promise<ReleaseOutcome>;
  renew(renewals: readonly Renewal[], lease: number): Promise<RenewOutcome>;
  /** Ends the hold of whoever has it. Resolves with whether somebody had. */
  forceRelease(name: string): Promise<boolean>;
  inspect(name: string, owner: OwnerId | undefined): Promise<LockState>;
}

/** A subscription that the backend has acknowledged. */
export interface Subscription {
  /** False while messages may be missed, for instance between a cut and the re-subscription. */
  readonly alive: boolean;
  cancel(): void;
}

/**
 * Where messages come from. They are hints to try again, never grants: they may be lost, doubled or late. Listeners are
 * also called once after every re-subscription, since what was said meanwhile was not heard.
 */
export interface WakeUps {
  /** Resolves when the channel is being listened to; rejects with `LockUnavailableError` when it cannot be in time. */
  subscribe(channel: string, listener: () => void): Promise<Subscription>;
}

/** Where the state of locks lives and changes, in our words: Redis, or the process's own memory. */
export interface LockBackend {
  readonly lock: LockTransitions;
  readonly wakeUps: WakeUps;
  /** Starts connecting, where there is something to connect to. Does not wait for it. */
  open(): void;
  /** Finishes background work as far as it can within `graceMs`, then closes what it opened. Never rejects. */
  close(graceMs: number): Promise<void>;
}
