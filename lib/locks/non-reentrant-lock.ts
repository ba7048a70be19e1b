import { namesOf, parseOptions } from '../validation/options.js';
import { parseKind } from './options/kind.options.js';
import { chosenKind } from './lock-kinds.js';
import { type LockServices, ReentrantLock } from './reentrant-lock.js';

/** Options of `getNonReentrantLock`. */
export interface NonReentrantLockOptions {
  /** Whether waiters are served in order of arrival, as by a fair lock. Default: false. */
  readonly fair?: boolean | undefined;
}

const OPTIONS = namesOf<NonReentrantLockOptions>()('fair');

/**
 * A lock that its owner cannot acquire twice: a second acquisition fails at once with `LockOwnershipError`, also by
 * `tryAcquire` (Redisson: `getNonReentrantLock`, which throws `IllegalMonitorStateException`). All other behaviour, and
 * the data in Redis, is that of the underlying kind.
 */
export class NonReentrantLock extends ReentrantLock {
  /**
   * Created by `LockService`.
   * @throws LockOptionsError
   */
  constructor(runtime: LockServices, name: string, options?: NonReentrantLockOptions) {
    const given = parseOptions(options, OPTIONS, { of: 'getNonReentrantLock' });
    super(runtime, name, undefined, chosenKind(runtime.kinds, parseKind({ ...given, kind: 'nonReentrant' })));
  }
}
