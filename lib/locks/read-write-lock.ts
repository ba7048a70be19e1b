import { namesOf, parseOptions, invalidOption } from '../validation/options.js';
import { type Lock } from './lock.js';
import { type LockServices, ReentrantLock } from './reentrant-lock.js';

export interface ReadWriteLockOptions {
  /**
   * `writer`: a waiting writer keeps new readers out, so it gets the lock once the current readers have released,
   * however many readers arrive. This applies to readers of this library that use the same option, and not to owners
   * that read already. Default: new readers join current readers even if a writer waits, as in Redisson; a writer may
   * then wait forever.
   */
  readonly preference?: 'writer' | undefined;
}

const OPTIONS = namesOf<ReadWriteLockOptions>()('preference');

/**
 * Many concurrent readers or one writer (Redisson: `RReadWriteLock`). A writer may also acquire the read half, and
 * keeps it after releasing the write half. A reader that acquires the write half would wait for
 * itself, so this is refused at once with `LockConflictError`, whatever the wait; the only reader may upgrade its hold
 * (`hold.tryUpgrade()`), and a writer may downgrade its own.
 */
export interface ReadWriteLock {
  /** The lock's name, as stored in Redis. */
  readonly name: string;
  /** The shared half. `remainingLease` is that of the whole lock. */
  readLock(): Lock;
  /** The exclusive half: one holder, and no reader but that holder. `remainingLease` is that of the whole lock. */
  writeLock(): Lock;
}

/** @throws LockOptionsError that names option and value. */
const parsePreference = (options: ReadWriteLockOptions | undefined): 'writer' | undefined => {
  const { preference } = parseOptions(options, OPTIONS, { of: 'getReadWriteLock' });
  if (preference === undefined || preference === 'writer') return preference;
  throw invalidOption('preference', preference, '"writer"');
};

/** Two reentrant locks, excluding each other on the server. */
export class ReentrantReadWriteLock implements ReadWriteLock {
  private readonly preference: 'writer' | undefined;

  /** Created by `LockService`. */
  constructor(
    private readonly runtime: LockServices,
    readonly name: string,
    options?: ReadWriteLockOptions,
  ) {
    this.preference = parsePreference(options);
  }

  readLock(): Lock {
    const { read, readBehindWriters } = this.runtime.kinds;
    return new ReentrantLock(this.runtime, this.name, undefined, this.preference ? readBehindWriters : read);
  }

  writeLock(): Lock {
    const { write, writeFirst } = this.runtime.kinds;
    return new ReentrantLock(this.runtime, this.name, undefined, this.preference ? writeFirst : write);
  }
}
