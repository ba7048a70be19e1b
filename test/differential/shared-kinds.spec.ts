import { alone, compareBackends } from './comparison.js';

compareBackends(
  alone(['the read-write lock', 'the semaphore', 'the permit-expirable semaphore', 'the count-down latch']),
);
