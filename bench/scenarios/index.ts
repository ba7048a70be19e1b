import { contendedHandOver } from './s5b-hand-over-contended.js';
import { counter } from './s8-counter.js';
import { busyNames } from './scale/busy-names.js';
import { distinctKeys } from './s2-distinct-keys.js';
import { fairLock } from './fair-lock.js';
import { fairQueue } from './scale/fair-queue.js';
import { fourProcesses } from './s4-four-processes.js';
import { flashSale } from './sample/flash-sale.js';
import { handOver } from './s5a-hand-over.js';
import { heldLocks } from './scale/holds.js';
import { hundredThousandHolds, tenThousandHolds } from './s7-many-holds.js';
import { herd } from './herd.js';
import { idleWaiters } from './s6-idle-waiters.js';
import { oneProcess } from './s3-one-process.js';
import { processesOnOneLock, waitersOnOneLock } from './scale/contention.js';
import type { Scenario } from './scenario.js';
import { firstCalls } from './s1-first-calls.js';
import { lockedCalls } from './s1-calls.js';
import { start } from './start.js';
import { uncontended, uncontendedOnOneCore } from './s1-uncontended.js';
import { waiterMemory } from './scale/waiter-memory.js';

/** All scenarios in the order of measurement: first those that keep their processes. */
export const scenarios: readonly Scenario[] = [
  uncontended,
  uncontendedOnOneCore,
  firstCalls,
  distinctKeys,
  oneProcess,
  fourProcesses,
  handOver,
  contendedHandOver,
  fairLock,
  flashSale,
  counter,
  // Last of them: calls with a callback make Node follow every promise of the process from then on, which slows it down, and
  // only this library has such calls.
  lockedCalls,
  start,
  herd,
  waitersOnOneLock,
  processesOnOneLock,
  idleWaiters,
  tenThousandHolds,
  hundredThousandHolds,
  waiterMemory,
  busyNames,
  heldLocks,
  fairQueue,
];
