import type { Hold } from '../../lib/index.js';

/** Never runs: the compiler checks it. A use that has to be refused is marked by `@ts-expect-error`. */
export const extended = async (hold: Hold): Promise<void> => {
  await hold.extend('30s');
  await hold.extend(30_000);
  await hold.extend({ renew: true });
  await hold.extend({ renew: true, lease: '10s', maxHold: '10m' });
  await hold.extend({ renew: true, maxHold: Infinity, lease: undefined });

  // @ts-expect-error what each renewal grants is its lease
  await hold.extend({ renew: '10s' });
  // @ts-expect-error a lease is given by itself
  await hold.extend({ lease: '10s' });
  // @ts-expect-error only a hold that is renewed has a limit
  await hold.extend({ maxHold: '10m' });
  // @ts-expect-error it is renewed, or the lease is given by itself
  await hold.extend({ renew: false, lease: '10s' });
  // @ts-expect-error nothing says how
  await hold.extend({});
  // @ts-expect-error nothing is waited for
  await hold.extend({ renew: true, wait: '3s' });
};

/** Work pauses while the lock is uncertain. */
export const states = ({ state }: Hold): boolean => {
  switch (state) {
    case 'held':
      return true;
    case 'suspended':
    case 'lost':
    case 'released':
      return false;
    default:
      return state;
  }
};
