import type { Load } from './load/load.js';
import type { TopologyName } from './topologies/topology.js';

const TERMS = { wait: 8000, hold: 15 };

/** Loads of every kind that a topology offers, on few names, so that all loops contend. */
export const usualLoad = (topology: TopologyName): readonly Load[] => {
  if (topology === 'redlock') {
    const names = ['redlock:1', 'redlock:2'];
    return [
      { ...TERMS, kind: 'redlock', names, loops: 2, lease: 1000 },
      { ...TERMS, kind: 'redlock', names, loops: 1 },
    ];
  }
  return [
    { ...TERMS, kind: 'plain', names: ['order:1', 'order:2'], loops: 2 },
    { ...TERMS, kind: 'plain', names: ['order:1', 'order:2'], loops: 1, lease: 1000 },
    { ...TERMS, kind: 'fenced', names: ['fenced:1'], loops: 1 },
    { ...TERMS, kind: 'fair', names: ['fair:1'], loops: 2 },
    { ...TERMS, kind: 'read', names: ['report:1'], loops: 1 },
    { ...TERMS, kind: 'write', names: ['report:1'], loops: 1 },
  ];
};

/** Semaphores whose permits have no owner, and semaphores whose permits have leases. */
export const permitLoad = (): readonly Load[] => [
  { ...TERMS, kind: 'semaphore', names: ['semaphore:1'], loops: 2 },
  { ...TERMS, kind: 'permits', names: ['semaphore:permits:1'], loops: 2, lease: 1000 },
];

/**
 * Permits with an owner: those of a limit, and those of a semaphore that are renewed. Some calls take longer than a lease
 * of the watchdog.
 */
export const ownedPermitLoad = (): readonly Load[] => [
  { ...TERMS, kind: 'limit', names: ['limit:1'], loops: 2, lease: 1000 },
  { ...TERMS, kind: 'limit', names: ['limit:1'], loops: 1, hold: 3000 },
  { ...TERMS, kind: 'permits', names: ['semaphore:permits:1'], loops: 1, hold: 3000 },
  { ...TERMS, kind: 'permits', names: ['semaphore:permits:1'], loops: 1 },
];

/** The longest lease of the load of grants, ms. */
export const GRANT_LEASE_MS = 5000;

/**
 * Plain locks that pass from process to process: they are held for longer than a lock passes on inside a process, and
 * every process always has a waiter.
 */
export const grantLoad = (
  names: readonly string[] = ['order:1', 'order:2'],
  lease = GRANT_LEASE_MS,
): readonly Load[] => [
  { ...TERMS, kind: 'plain', names, hold: 25, loops: 2 },
  { ...TERMS, kind: 'plain', names, hold: 25, loops: 2, lease },
];
