import { type Backoff, parseBackoff } from '../waiting/backoff.js';
import { type LockServices, ReentrantLock } from './reentrant-lock.js';

/**
 * A reentrant lock whose waiters ask again and again, and whose releases are announced to nobody: nothing is published
 * and nothing is subscribed to. For places where pub/sub is not allowed or costs too much. Waiters of a plain lock of
 * the same name are not woken by its releases: they find out at their next safety poll (Redisson: `getSpinLock`). Of
 * releases in the same process its waiters know, and ask at once.
 */
export class SpinLock extends ReentrantLock {
  /**
   * Made by `LockService`.
   * @param backoff Absent: grows from 1 to 128 ms.
   * @throws LockOptionsError when the backoff cannot give pauses.
   */
  constructor(runtime: LockServices, name: string, backoff?: Backoff) {
    const { spin } = runtime.kinds;
    const acquirer = backoff === undefined ? spin.acquirer : spin.acquirer.with(parseBackoff(backoff));
    super(runtime, name, undefined, { ...spin, acquirer });
  }
}
