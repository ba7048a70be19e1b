import type { ProbeError } from '../backend/redis/probe/findings.js';
import { LockUnsafeError } from '../errors.js';

/** The way to lock although locks could be lost or granted twice. */
export const ADVICE = ". To lock anyway, set probe: 'warn'";

/**
 * @param advice Added if locks would work with it: not with a replica, nor without the rights.
 * @param others Other reasons, for which no lock would work.
 */
export const unsafe = (
  dangers: readonly ProbeError[],
  advice = '',
  others: readonly string[] = [],
): LockUnsafeError => {
  const reasons = [...dangers.map(({ where, reason, remedy }) => `${where}: ${reason}; ${remedy}`), ...others];
  const helps = dangers.every(({ isUsable }) => isUsable);
  return new LockUnsafeError(`Locks could not be trusted. ${reasons.join('. ')}${helps ? advice : ''}`, {
    details: { reasons },
  });
};
