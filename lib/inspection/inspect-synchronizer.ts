import type { StoredState } from '../backend/inspection-operations.js';
import type { InspectedLock } from './inspected-lock.js';
import { inspectedState, type InspectionServices, type OwnIds } from './inspected-state.js';

type Inspecting = Pick<InspectionServices, 'backend'>;

const NONE: OwnIds = { has: () => false };

/** Inspects a semaphore whose permits have no owner. */
export const inspectSemaphore = async ({ backend }: Inspecting, name: string): Promise<InspectedLock> => {
  const stored = await backend.inspection.semaphore(name);
  const inspected = inspectedState(name, 'semaphore', stored, NONE);
  const { number: available } = stored;
  if (available === undefined) return inspected;
  return { ...inspected, state: available > 0 ? 'free' : 'held', permits: { available } };
};

/** A semaphore whose permits have ids. @param own The permits of this process. */
export const inspectedPermits = (name: string, stored: StoredState, own: OwnIds): InspectedLock => {
  const inspected = inspectedState(name, 'permitExpirableSemaphore', stored, own);
  const { number: available, holderCount: inUse } = stored;
  if (available === undefined) return inspected;
  return { ...inspected, permits: { available, inUse, total: available + inUse } };
};

/** Inspects a semaphore whose permits have ids. */
export const inspectPermits = async (
  { backend, permitsOut }: Inspecting & { readonly permitsOut: OwnIds },
  name: string,
): Promise<InspectedLock> => inspectedPermits(name, await backend.inspection.permits(name), permitsOut);

/** Inspects a count-down latch. */
export const inspectLatch = async ({ backend }: Inspecting, name: string): Promise<InspectedLock> => {
  const stored = await backend.inspection.latch(name);
  const inspected = inspectedState(name, 'countDownLatch', stored, NONE);
  if (stored.shape === 'foreign') return inspected;
  const { number: count = 0 } = stored;
  return { ...inspected, state: count > 0 ? 'held' : 'free', count };
};
