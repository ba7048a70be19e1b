import type { GrantedHold } from '../holds/granted-hold.js';
import type { Hold } from '../holds/hold.js';
import { type Lock } from './lock.js';
import { type LockServices, ReentrantLock } from './reentrant-lock.js';

/** A hold with a fencing token. */
export interface FencedHold extends Hold {
  /**
   * Greater than that of any owner before, and the same for every hold of one owner. Give it along with every write: a
   * resource that refuses what is below the highest token it has seen is safe from holders that were paused past the
   * end of their lease (Redisson: `lockAndGetToken`, `tryLockAndGetToken`).
   */
  readonly fence: bigint;
}

/** A reentrant lock that gives each owner a fencing token (Redisson: `getFencedLock`). */
export interface FencedLock extends Lock<FencedHold> {
  /**
   * The token given last, to whomever, also after its release; 0 where none was given yet (Redisson: `getToken`). Says
   * nothing about who holds: the own token is `hold.fence`.
   * @throws LockUnavailableError, WrongKeyTypeError
   */
  currentToken(): Promise<bigint>;
}

/** The reentrant lock of a kind whose every hold has a token. */
export class FencedReentrantLock extends ReentrantLock<GrantedHold & FencedHold> implements FencedLock {
  /** Made by `LockService`. */
  constructor(runtime: LockServices, name: string) {
    super(runtime, name, undefined, runtime.kinds.fenced);
  }

  async currentToken(): Promise<bigint> {
    return this.runtime.backend.fencedLock.currentToken(this.name);
  }
}
