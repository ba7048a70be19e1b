import { contendedHandOver } from './s5b-hand-over-contended.js';
import { distinctKeys } from './s2-distinct-keys.js';
import { fourProcesses } from './s4-four-processes.js';
import { handOver } from './s5a-hand-over.js';
import { oneProcess } from './s3-one-process.js';
import type { Scenario } from './scenario.js';
import { uncontended } from './s1-uncontended.js';

export const scenarios: readonly Scenario[] = [
  uncontended,
  distinctKeys,
  oneProcess,
  fourProcesses,
  handOver,
  contendedHandOver,
];
