import type { LimitOperations } from '../../../limit-operations.js';
import { QueuedLock } from '../queued-lock.js';

/** Limits in Redis: the scripts read how many permits a request allows. */
export class RedisLimit extends QueuedLock implements LimitOperations {}
