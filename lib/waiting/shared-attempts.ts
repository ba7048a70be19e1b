import { LockAttempts } from './lock-attempts.js';

/** Tries for locks that several may hold at a time: where one gets in, so may the next in line. */
export class SharedLockAttempts extends LockAttempts {
  override outcomeAfterGrant(): undefined {
    return undefined;
  }
}
