import type { Fencing } from '../../backend/lock-operations.js';
import { LockOptionsError } from '../../errors.js';
import { formatValue } from '../../validation/format-value.js';
import { oneOf } from '../../validation/one-of.js';

const SOURCES = ['clock', 'counter'] as const;

/** @throws LockOptionsError if the old name has another value than the new one. */
export const parseFencing = ({
  fencing,
  fences,
}: {
  readonly fencing?: unknown;
  readonly fences?: unknown;
}): Fencing => {
  const byNewName = oneOf<Fencing>(fencing, 'fencing', SOURCES);
  if (fences === undefined) return byNewName;
  const byOldName = oneOf<Fencing>(fences, 'fences', SOURCES);
  if (fencing === undefined || byNewName === byOldName) return byOldName;
  throw new LockOptionsError(
    `fences ${formatValue(fences)} contradicts fencing ${formatValue(fencing)}; fences is the old name of fencing, so leave it out`,
    { details: { option: 'fences', value: fences } },
  );
};
