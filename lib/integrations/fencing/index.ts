/** @module nest-redis-lock/fencing */
export { FenceHeaderError, StaleFenceError } from '../../errors.js';
export type { FenceClient } from './fence-client.js';
export { checkFence, FENCE_HEADER, fenceHeader, type RequestHeaders } from './fence-header.js';
export type { FenceStore } from './fence-store.js';
export { MemoryFenceStore } from './memory-fence-store.js';
export { RedisFenceStore, type RedisFenceStoreOptions } from './redis-fence-store.js';
export { setIfFence, type SetIfFenceOptions } from './set-if-fence.js';
export { sqlFence, type SqlFence, type SqlFenceOptions, type StoredFence } from './sql-fence.js';
