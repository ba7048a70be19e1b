import fc from 'fast-check';
import { groupField, groupLockName } from '../../lib/keys/group-field.js';
import { A1, B7 } from '../contract/vectors/vector.js';

/** Few names, so that operations meet. One has braces, which give its companion keys another form. */
export const name = fc.constantFrom('n', 'a{b}c');

/** Values of a group that form one lock. Groups have names of their own, because no other lock can read their data. */
export const groupLock = fc
  .tuple(fc.constantFrom('g', 'g{h}i'), fc.subarray(['v1', 'v2', 'v3'].map(groupField), { minLength: 1 }))
  .map(([group, fields]) => groupLockName(group, fields));

/** Two owners like those of Java clients, and two of this library. Queues of fair locks distinguish them. */
export const exclusiveOwners = [A1, B7, ...[3, 4].map((thread) => `33333333-3333-8333-8333-333333333333:${thread}`)];
export const owner = fc.constantFrom(...exclusiveOwners);

/** Owners of read-write locks only, because locks with different data never share owner ids. */
export const readersOrWriters = [1, 2, 7].map((thread) => `44444444-4444-4444-4444-444444444444:${thread}`);
export const readerOrWriter = fc.constantFrom(...readersOrWriters);
