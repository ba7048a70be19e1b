import { LockUnavailableError } from '../../../errors.js';
import type { ScriptExecutor } from './script-executor.js';
import type { Replicas } from './replica-confirmation.js';
import type { Written } from './written.js';

/** What is told where too few replicas have something. */
export interface Lacking {
  readonly name: string;
  /** What they lack: `lock "order:7"`. */
  readonly what: string;
  /** What becomes of it: `it was given back`. */
  readonly so: string;
  readonly outcome: LockUnavailableError['outcome'];
}

/**
 * Resolves when so many replicas have what was written: what they do not have would be forgotten by the next fail-over.
 * @throws LockUnavailableError where they do not in time, or where nobody can tell.
 */
export const enoughReplicas = async (
  commands: ScriptExecutor,
  replicas: Replicas,
  written: Written,
  { name, what, so, outcome }: Lacking,
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
