import type { OwnerId } from '../context/ids.js';
import type { AcquireRequest, LockOperations } from './lock-operations.js';

export interface ReadRequest extends AcquireRequest {
  /** Whether writers that wait to go first go first; see {@link WriteRequest}. */
  readonly behindWriters?: boolean;
}

/**
 * The read half of a read-write lock. Owners of the write half may read as well: `hold` lets them in, and they may come
 * back after a release.
 */
export interface ReadLockOperations extends LockOperations {
  acquire(request: ReadRequest): ReturnType<LockOperations['acquire']>;
}

/** A writer that is to go before new readers while it waits. */
export interface WaitingWriter {
  /** One for all tries of one who waits, unlike the owner of each try. */
  readonly id: OwnerId;
  /** Milliseconds it is believed to wait for, unless it asks again or says that it does not. */
  readonly patience: number;
}

export interface WriteRequest extends AcquireRequest {
  /** Where the lock is busy, readers who let writers go first stay out from now on. Absent: nobody is kept out. */
  readonly waiting?: WaitingWriter | undefined;
}

/** The write half of a read-write lock. A writer that also reads goes on reading when it is released. */
export interface WriteLockOperations extends LockOperations {
  acquire(request: WriteRequest): ReturnType<LockOperations['acquire']>;
  /** Nobody waits under this id any more; readers who were kept out are told. */
  withdraw(name: string, waiter: OwnerId): Promise<void>;
}
