// Compiled where a client library is all that is installed: the types must need no others.
import { storeCases } from 'nest-redis-lock/driver-kit';
import { createLocks, type Hold, type Locks } from 'nest-redis-lock/standalone';

export const open = (): Promise<Locks> => createLocks({ connection: 'memory', logger: console });

// @ts-expect-error it is not `any`
export const leaseOf = (hold: Hold): string => hold.isHeld;

// @ts-expect-error it is not `any`
export const cases: number = storeCases({ open, send: async () => undefined });
