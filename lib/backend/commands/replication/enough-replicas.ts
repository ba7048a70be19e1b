import { LockUnavailableError } from '../../../errors.js';
import type { ScriptExecutor } from '../script-executor.js';
import type { Replicas } from './replica-confirmation.js';
import type { Written } from '../written.js';

/** Texts and outcome of the error for a write that too few replicas have. */
interface ReplicaShortage {
  readonly name: string;
  /** The write in words: `lock "order:7"`. */
  readonly what: string;
  /** Its consequence in words: `it was given back`. */
  readonly so: string;
  readonly outcome: LockUnavailableError['outcome'];
}

/**
 * Resolves when at least `min` replicas have the write. The next fail-over would lose what they do not have.
 * @throws LockUnavailableError if too few have it in time, or if their number cannot be found out.
 */
export const enoughReplicas = async (
  commands: ScriptExecutor,
  replicas: Replicas,
  written: Written,
  { name, what, so, outcome }: ReplicaShortage,
): Promise<void> => {
  const { min, timeout } = replicas;
  const found = await commands.replicasWith(written, replicas).catch((error: unknown) => {
    if (!(error instanceof LockUnavailableError)) throw error;
    throw new LockUnavailableError(
      `How many replicas have ${what} is unknown; ${so}: ${error.message}`,
      outcome,
      error.permanent,
      {
        lockName: name,
        cause: error,
      },
    );
  });
  if (found >= min) return;
  throw new LockUnavailableError(
    `Only ${found} of ${min} replicas had ${what} within ${timeout} ms; ${so}`,
    outcome,
    false,
    { lockName: name, details: { replicas: { wanted: min, found } } },
  );
};
