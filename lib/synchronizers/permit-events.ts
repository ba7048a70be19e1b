import type { OfLock } from '../events/life-cycle-events.js';

/** The fields of an event that say which permit-expirable semaphore it is about. */
export const permitsOf = ({ connection }: { readonly connection: string }, name: string): OfLock => ({
  connection,
  kind: 'permitExpirableSemaphore',
  lockName: name,
  template: undefined,
  method: undefined,
});
