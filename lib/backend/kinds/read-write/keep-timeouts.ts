import { LockUnavailableError } from '../../../errors.js';
import type { OwnerId } from '../../../context/owner-ids.js';
import type { ScriptExecutor } from '../../commands/script-executor.js';
import type { RequestLimits } from '../../commands/deadline-request.js';
import { scripts } from '../../scripts/scripts.generated.js';
import { tornApart } from '../renew-by-shard.js';
import { readTimeout } from '../../../keys/redisson-keys.js';

/** An owner with `reads` reads, each for `lease` ms from now. */
interface TornRead {
  readonly name: string;
  readonly owner: OwnerId;
  readonly reads: number;
  readonly lease: number;
}

const notKept = (name: string, cause?: unknown): LockUnavailableError => {
  const why = 'Not all time-out keys could be kept while their slot moves';
  return new LockUnavailableError(why, 'unknown', false, { lockName: name, ...(cause !== undefined && { cause }) });
};

/**
 * Keeps reads whose time-out keys may be on another server than their lock while the slot migrates. Sends one command
 * for each key, so that the cluster finds it on either server.
 * @throws LockUnavailableError (`unknown`, since the lock itself was changed already) if a key could not be kept in
 *   time.
 */
export const keepTimeouts = async (
  commands: ScriptExecutor,
  { name, owner, reads, lease }: TornRead,
  { notAfter, deadline }: RequestLimits,
): Promise<void> => {
  const keep = async (n: number): Promise<void> => {
    const timeout = readTimeout(name, owner, n);
    const [outcome] = await commands.run(
      scripts.readLock.keepTimeout,
      { timeout },
      { lease, notAfter },
      deadline,
      name,
    );
    if (outcome === 'late') throw notKept(name);
  };
  try {
    await Promise.all(Array.from({ length: reads }, (_, index) => keep(index + 1)));
  } catch (error) {
    throw notKept(name, error);
  }
};

/**
 * Creates the time-out key of an owner's only read, which could not be created with its field while the slot migrates.
 * @throws LockUnavailableError (`unknown`) if the key was not created in time, or the lock was freed before.
 */
export const completeRead = async (
  commands: ScriptExecutor,
  { name, owner, lease }: Omit<TornRead, 'reads'>,
  limits: RequestLimits,
): Promise<void> => {
  await keepTimeouts(commands, { name, owner, reads: 1, lease }, limits);
  // If the whole slot has moved, the reader counted as dead on the new server until its time-out key was there: a
  // release by another reader may have freed the lock, and a writer may have it.
  const { inspect } = scripts.readLock;
  const [, , reads] = await commands.run(inspect, { lock: name }, { owner }, limits.deadline, name);
  if (reads === 0) throw tornApart(name);
};
