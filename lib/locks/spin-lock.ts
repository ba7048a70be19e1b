import { type Backoff, parseBackoff } from '../waiting/backoff.js';
import { type LockServices, ReentrantLock } from './reentrant-lock.js';

/**
 * A reentrant lock that polls instead of using pub/sub: its releases publish nothing, and its waiters subscribe to
 * nothing (Redisson: `getSpinLock`). For environments where pub/sub is not allowed or costs too much. A release wakes
 * waiters of a plain lock of the same name, if these are there. Waiters of another kind, of Redisson, or without
 * `handover` notice it at their next safety poll. Its own waiters in the same process are notified of a release and retry
 * at once.
 */
export class SpinLock extends ReentrantLock {
  /**
   * Created by `LockService`.
   * @param backoff Pauses between attempts. Default: growing from 1 to 128 ms.
   * @throws LockOptionsError if the backoff cannot produce pauses.
   */
  constructor(runtime: LockServices, name: string, backoff?: Backoff) {
    const { spin } = runtime.kinds;
    const acquirer = backoff === undefined ? spin.acquirer : spin.acquirer.with(parseBackoff(backoff));
    super(runtime, name, undefined, { ...spin, acquirer });
  }
}
