import type { LockService, PermitExpirableSemaphore } from '../../lib/index.js';

/** Never runs: the compiler checks it. A use that has to be refused is marked by `@ts-expect-error`. */
export const permits = async (locks: LockService, seats: PermitExpirableSemaphore): Promise<void> => {
  await seats.acquire({ renew: true, wait: '3s' });
  await seats.acquire({ lease: '10s', renew: false });
  await seats.acquire({ lease: undefined, renew: undefined });
  await seats.withPermit({ renew: true }, ({ signal }) => signal.aborted);
  await locks.withLock('tenant:1', { limit: 3, fair: true, lease: '10s' }, ({ owner }) => owner);

  await seats.acquire({ renew: true, lease: '10s' });
  // @ts-expect-error a permit is renewed or not
  await seats.tryAcquireMany(2, { renew: '10s' });
  // @ts-expect-error a limit has an order or none
  await locks.withLock('tenant:1', { limit: 3, fair: 'yes' }, () => {});
  // @ts-expect-error a limit is a kind of its own
  await locks.withLock('tenant:1', { limit: 3, kind: 'spin' }, () => {});
};
