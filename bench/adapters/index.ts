import type { Adapter } from './adapter.js';
import { microfleetIoredisLock } from './microfleet-ioredis-lock.adapter.js';
import { nestRedisLock, nestRedisLockBefore, nestRedisLockOnNodeRedis } from './nest-redis-lock.adapter.js';
import {
  nestRedisLockOpenTelemetry,
  nestRedisLockPrometheus,
  nestRedisLockRecords,
  nestRedisLockUnobserved,
} from './observed-nest-redis-lock.adapter.js';
import { raw, rawRedisson } from './raw.adapter.js';
import { redisSemaphore } from './redis-semaphore.adapter.js';
import { redlock4 } from './redlock4.adapter.js';
import { redlock5 } from './redlock5.adapter.js';
import { redlockUniversal } from './redlock-universal.adapter.js';
import { sesamecareRedlock } from './sesamecare-redlock.adapter.js';
import { simpleRedisMutex } from './simple-redis-mutex.adapter.js';

/** Libraries that run in Node, by the names of the command line. */
export const nodeAdapters: ReadonlyMap<string, Adapter> = new Map(
  Object.entries({
    raw,
    'nest-redis-lock': nestRedisLock,
    'nest-redis-lock-on-node-redis': nestRedisLockOnNodeRedis,
    'raw-redisson': rawRedisson,
    'nest-redis-lock-before': nestRedisLockBefore,
    'nest-redis-lock-unobserved': nestRedisLockUnobserved,
    'nest-redis-lock-prometheus': nestRedisLockPrometheus,
    'nest-redis-lock-opentelemetry': nestRedisLockOpenTelemetry,
    'nest-redis-lock-records': nestRedisLockRecords,
    redlock4,
    redlock5,
    'sesamecare-redlock': sesamecareRedlock,
    'redis-semaphore': redisSemaphore,
    'simple-redis-mutex': simpleRedisMutex,
    'microfleet-ioredis-lock': microfleetIoredisLock,
    'redlock-universal': redlockUniversal,
  }),
);
