import { LockOwnershipError } from '../errors.js';
import { parseOptions } from '../validation/options.js';
import { parseKind } from './lock.options.js';
import type { ReenteredLock } from '../holds/lock-kind.js';
import { type LockServices, ReentrantLock } from './reentrant-lock.js';

/** Options of `getNonReentrantLock`. */
export interface NonReentrantLockOptions {
  /** Whether waiters are served in order of arrival, as by a fair lock. Default: false. */
  readonly fair?: boolean | undefined;
}

const refuseReentry = ({ name, owner }: ReenteredLock): never => {
  throw new LockOwnershipError(
    `Lock "${name}" is not reentrant and the running code holds it already, as ${owner}: release it first, or use getLock()`,
    { lockName: name, details: { owner } },
  );
};

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
    const kind = runtime.kinds[parseKind(parseOptions(options, ['fair'], { of: 'getNonReentrantLock' }))];
    super(runtime, name, undefined, { ...kind, checkReentry: refuseReentry });
  }
}
