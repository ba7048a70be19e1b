import type { LockBackend } from '../backend/lock-backend.js';
import { plainServer, plainTarget } from '../backend/plain-target.js';
import type { Quorum } from '../backend/quorum/quorum.js';
import { LockOptionsError } from '../errors.js';
import type { LockEvents } from '../events/lock-events.js';
import { type MonotonicScheduler, type Scheduler, systemScheduler } from '../time/scheduler.js';
import type { Watched } from '../watchdog/renewal-schedules.js';
import { RenewalWorker } from '../watchdog/worker/renewal-worker.js';
import type { WorkerData } from '../watchdog/worker/worker-data.js';
import { BACKEND_KINDS, type RenewableKind } from '../watchdog/worker/worker-holds.js';
import type { ConnectionSettings } from './options/lock-settings.js';

interface Renewed {
  readonly backend: LockBackend;
  readonly masters: Quorum | undefined;
  readonly scheduler: MonotonicScheduler;
  readonly events: LockEvents;
}

/** Other operations, such as those of the lock of an owner that an application has chosen, are left to the main thread. */
const kindsOf = ({ backend, masters }: Renewed): ReadonlyMap<Watched['operations'], RenewableKind> => {
  const kinds = new Map<Watched['operations'], RenewableKind>();
  for (const kind of BACKEND_KINDS) kinds.set(backend[kind], kind);
  if (masters) kinds.set(masters.lock, 'masters');
  return kinds;
};

type WorkerSettings = Pick<ConnectionSettings, 'redLock' | 'target' | 'commandTimeout'>;

/** The part of the settings that the worker needs. @throws LockOptionsError if it cannot be given to a thread. */
export const workerData = (
  { redLock, target, commandTimeout }: WorkerSettings,
  longest: number,
): Omit<WorkerData, 'beat' | 'stack'> => {
  if (target.kind === 'memory') {
    throw new LockOptionsError(
      'renewIn needs a connection to Redis, not "memory", which no worker thread can reach; leave it out there',
      { details: { option: 'renewIn' } },
    );
  }
  const servers = target.kind === 'redis' ? plainTarget(target.servers) : undefined;
  const nodes = redLock && new Map([...redLock.nodes].map(([address, node]) => [address, plainServer(node)] as const));
  const masters = redLock && nodes && { nodes, nodeTimeout: redLock.nodeTimeout, quorum: redLock.quorum };
  return { servers, masters, commandTimeout, longest };
};

/** The worker of one connection, if the settings want one. @throws LockOptionsError */
export const renewalWorker = (
  settings: ConnectionSettings,
  clock: Scheduler,
  renewed: Renewed,
): RenewalWorker | undefined => {
  const { renewIn } = settings;
  if (renewIn === undefined) return undefined;
  if (clock !== systemScheduler) {
    throw new LockOptionsError(
      'renewIn needs the clock of the process; leave it out, or the provider of another scheduler',
      {
        details: { option: 'renewIn' },
      },
    );
  }
  return new RenewalWorker(workerData(settings, renewIn.longest), kindsOf(renewed), renewed.scheduler, renewed.events);
};
