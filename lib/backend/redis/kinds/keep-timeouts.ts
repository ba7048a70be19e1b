import { LockUnavailableError } from '../../../errors.js';
import type { OwnerId } from '../../../context/owner-ids.js';
import type { ScriptExecutor } from '../commands/script-executor.js';
import type { RequestLimits } from '../commands/deadline-request.js';
import { scripts } from '../scripts/scripts.generated.js';
import { readTimeout } from '../../../keys/redisson-keys.js';

/** An owner with `reads` reads, each for `lease` ms from now. */
export interface TornRead {
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
