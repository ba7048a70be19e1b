import fc from 'fast-check';
import { A1, A2, B7 } from '../contract/vectors/vector.js';

/** Few, so that operations meet; one with braces, whose companion names are built another way. */
export const name = fc.constantFrom('n', 'a{b}c');

export const owner = fc.constantFrom(A1, A2, B7);

/** Owner ids are never shared, least of all by locks whose data look alike but are not. */
export const readerOrWriter = fc.constantFrom(
  ...[1, 2, 7].map((thread) => `44444444-4444-4444-4444-444444444444:${thread}`),
);
