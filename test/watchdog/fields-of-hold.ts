import type { OfHold } from '../../lib/advanced.js';

/** The fields of events about a hold of this name that no grant stands for. */
export const fieldsOfHold = (lockName: string): OfHold => ({
  connection: 'default',
  kind: 'reentrant',
  lockName,
  template: undefined,
  method: undefined,
  owner: 'me:1',
  heldFor: 0,
});
