import { blockingSections } from './blocking-sections.js';
import { cutRequests } from './cut-requests.js';
import { deadGrantees } from './dead-grantees.js';
import { elections } from './elections.js';
import { endingLeases } from './ending-leases.js';
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
import { ownedLocks } from './owned-locks.js';
import { readWriteLocks } from './read-write-locks.js';
import type { Scenario } from './scenario.js';
import { semaphores, signals } from './semaphores.js';
import { singleFlights } from './single-flights.js';
import { spinBesidePlain } from './spin-beside-plain.js';
import { takeOvers } from './take-overs.js';

/** Scenarios that runs are drawn from. The most common kind of lock is drawn more often. */
export const scenarios: readonly Scenario[] = [
  exclusiveLocks,
  exclusiveLocks,
  exclusiveLocks,
  grants,
  grants,
  blockingSections,
  cutRequests,
  deadGrantees,
  endingLeases,
  endingLeases,
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
  takeOvers,
  ownedLocks,
  singleFlights,
  elections,
];
