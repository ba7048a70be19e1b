import type { GrantedHold } from '../holds/granted-hold.js';
import type { Hold } from '../holds/hold.js';
import { type Lock } from './lock.js';
import { type LockServices, ReentrantLock } from './reentrant-lock.js';

/** A hold with a fencing token. */
export interface FencedHold extends Hold {
  /**
   * Fencing token: greater than that of every earlier owner, and the same for all holds of one owner. Send it with
   * every write. A resource that rejects tokens below the highest one it has seen is safe from owners that were paused
   * beyond the end of their lease (Redisson: `lockAndGetToken`, `tryLockAndGetToken`).
   */
  readonly fence: bigint;
}

/** A reentrant lock that gives each owner a fencing token (Redisson: `getFencedLock`). */
export interface FencedLock extends Lock<FencedHold> {
  /**
   * The token issued last, to any owner, even if that owner has released since; 0 if none was issued yet (Redisson:
   * `getToken`). It does not tell who holds the lock: the caller's own token is `hold.fence`.
   * @throws LockUnavailableError, LockKeyTypeError
   */
  currentToken(): Promise<bigint>;
}

/** A reentrant lock of a kind whose holds all carry a token. */
export class FencedReentrantLock extends ReentrantLock<GrantedHold & FencedHold> implements FencedLock {
  /** Created by `LockService`. */
  constructor(runtime: LockServices, name: string) {
    super(runtime, name, undefined, runtime.kinds.fenced);
  }

  async currentToken(): Promise<bigint> {
    return this.runtime.backend.fencedLock.currentToken(this.name);
  }
}
