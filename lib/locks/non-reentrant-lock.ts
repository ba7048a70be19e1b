import { LockOwnershipError } from '../errors.js';
import { parseOptions } from '../validation/options.js';
import { parseKind } from './lock.options.js';
import type { HeldLock } from '../holds/lock-kind.js';
import { type LockServices, ReentrantLock } from './reentrant-lock.js';

/** What a non-reentrant lock is made of. */
export interface NonReentrantLockOptions {
  /** Whether waiters get it in the order they came, as a fair lock. Default: false. */
  readonly fair?: boolean | undefined;
}

const refuseReentry = ({ name, owner }: HeldLock): never => {
  throw new LockOwnershipError(
    `Lock "${name}" is not reentrant and the running code holds it already, as ${owner}: release it first, or use getLock()`,
    { lockName: name, details: { owner } },
  );
};

/**
 * A lock that its owner cannot take twice: acquiring it again where it is held fails at once, with
 * `LockOwnershipError`, also by `tryAcquire` (Redisson: `getNonReentrantLock`, where the same is an
 * `IllegalMonitorStateException`). Everything else, and what lies in Redis, is that of the kind it is made of.
 */
export class NonReentrantLock extends ReentrantLock {
  /**
   * Made by `LockService`.
   * @throws LockOptionsError
   */
  constructor(runtime: LockServices, name: string, options?: NonReentrantLockOptions) {
    const kind = runtime.kinds[parseKind(parseOptions(options, ['fair'], { of: 'getNonReentrantLock' }))];
    super(runtime, name, undefined, { ...kind, checkReentry: refuseReentry });
  }
}
