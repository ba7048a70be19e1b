import { LockOptionsError } from '../errors.js';

const kits = new WeakMap<object, object>();

/**
 * Notes that an application, its connections or its builder have the locks of this kit.
 * @throws LockOptionsError if they have those of another one, which would see no lock: holders, waiters and clock would
 *   be those of nothing.
 */
export const claim = (owned: object, kit: object): void => {
  const other = kits.get(owned);
  if (other === undefined) kits.set(owned, kit);
  else if (other !== kit)
    throw new LockOptionsError(
      'two LockTesting were given for one application, and one of them would see none of its locks; give one',
    );
};
