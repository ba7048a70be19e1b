import type { LockOperations } from '../backend/lock-operations.js';
import type { OwnerIds } from '../context/owner-ids.js';
import { isConflict, isPassing } from '../errors.js';
import type { LockEvents } from '../events/lock-events.js';
import { type Acquirer, acquirerAmong, drainAll, type WaitDependencies } from './acquirer.js';
import { type Acquired, LockAttempts } from './lock-attempts.js';
import { QueuedAcquirer } from './queued-acquirer.js';

/** The operations of a kind, and how callers wait that take nothing from others. */
interface ReplaceableKind {
  readonly operations: Pick<LockOperations, 'acquire' | 'release'>;
  readonly acquirer: Acquirer<number, Acquired>;
}

/**
 * Acquires locks for callers that take them over. The holder is asked to end, may do so for as long as the caller waits, and
 * then loses the lock: at once, for a caller that does not wait.
 */
export const replacingAcquirer = (
  { operations, acquirer }: ReplaceableKind,
  owners: OwnerIds,
  events: LockEvents,
  waiting: WaitDependencies,
  /** Runs the acquisition while the process listens for messages to its grant. */
  whileListening: <T>(name: string, work: () => Promise<T>) => Promise<T>,
): Acquirer<number, Acquired> => {
  const acquirerThat = (replaces: 'asks' | 'takes'): QueuedAcquirer<number, Acquired> => {
    const locks: typeof operations = {
      acquire: (request) => operations.acquire({ ...request, replaces }),
      release: (request) => operations.release(request),
    };
    return new QueuedAcquirer(new LockAttempts(locks, owners, events), waiting);
  };
  const [asking, taking] = [acquirerThat('asks'), acquirerThat('takes')];
  const acquire: Acquirer<number, Acquired>['acquire'] = async (asked, lease, admit) => {
    const { what, name, template, limit, observer } = asked;
    if (limit.wait === 0) return taking.acquire(asked, lease, admit);
    try {
      const once = { what, name, template, limit: limit.withMax(0), observer };
      return await asking.acquire(once, lease, admit).catch((error: unknown) => {
        if (isConflict(error) || isPassing(error)) return acquirer.acquire(asked, lease, admit);
        throw error;
      });
    } catch (error) {
      if (!isConflict(error)) throw error;
      return taking.acquire(asked, lease, admit);
    }
  };
  return acquirerAmong(drainAll([asking, taking]), (asked, lease, admit) =>
    whileListening(asked.name, () => acquire(asked, lease, admit)),
  );
};
