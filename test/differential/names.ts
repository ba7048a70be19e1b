import fc from 'fast-check';
import { groupField, groupLockName } from '../../lib/keys/group-field.js';
import { A1, B7 } from '../contract/vectors/vector.js';

/** Few, so that operations meet; one with braces, whose companion names are built another way. */
export const name = fc.constantFrom('n', 'a{b}c');

/** Some values of a group as one lock; groups have names of their own, as their data are those of no other lock. */
export const groupLock = fc
  .tuple(fc.constantFrom('g', 'g{h}i'), fc.subarray(['v1', 'v2', 'v3'].map(groupField), { minLength: 1 }))
  .map(([group, fields]) => groupLockName(group, fields));

/** Two who might be Java peers, and two of ours: queues of fair locks tell them apart. */
export const exclusiveOwners = [A1, B7, ...[3, 4].map((thread) => `33333333-3333-8333-8333-333333333333:${thread}`)];
export const owner = fc.constantFrom(...exclusiveOwners);

/** Owner ids are never shared, least of all by locks whose data look alike but are not. */
export const readersOrWriters = [1, 2, 7].map((thread) => `44444444-4444-4444-4444-444444444444:${thread}`);
export const readerOrWriter = fc.constantFrom(...readersOrWriters);
