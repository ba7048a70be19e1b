import { parseOptions, invalidOption } from '../validation/options.js';
import { type Lock } from './lock.js';
import { type LockServices, ReentrantLock } from './reentrant-lock.js';

export interface ReadWriteLockOptions {
  /**
   * `writer`: a writer that waits keeps new readers out, so that it gets in when those there have left, however many
   * come. Only readers who ask for it with the same option stay out: those of this library, and not who reads already.
   * Default: readers get in beside readers, whoever waits, as in Redisson; then writers may wait for ever.
   */
  readonly preference?: 'writer' | undefined;
}

/**
 * Many may read at a time, or one may write (Redisson: `RReadWriteLock`). Who writes may read as well, and goes on
 * reading when it stops writing. Who only reads cannot become the writer: it would wait for itself, so that is refused at
 * once with `LockConflictError`, whatever the wait.
 */
export interface ReadWriteLock {
  /** The lock's name, as it stands in Redis. */
  readonly name: string;
  /** The half that many hold. `remainingLease` is that of the whole lock. */
  readLock(): Lock;
  /** The half that one holds, while nobody else reads. `remainingLease` is that of the whole lock. */
  writeLock(): Lock;
}

/** @throws LockOptionsError naming option and value. */
const parsePreference = (options: ReadWriteLockOptions | undefined): 'writer' | undefined => {
  const { preference } = parseOptions(options, ['preference'], { of: 'getReadWriteLock' });
  if (preference === undefined || preference === 'writer') return preference;
  throw invalidOption('preference', preference, '"writer"');
};

/** Two locks that exclude each other on the server. */
export class ReentrantReadWriteLock implements ReadWriteLock {
  private readonly preference: 'writer' | undefined;

  /** Made by `LockService`. */
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
