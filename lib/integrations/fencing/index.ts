/** @module nest-redis-lock/fencing */
export { FenceHeaderError, StaleFenceError } from '../../errors.js';
export type { FenceClient } from './fence-client.js';
export { checkFence, FENCE_HEADER, fenceHeader, type RequestHeaders } from './fence-header.js';
export type { FenceStore } from './fence-store.js';
export { MemoryFenceStore } from './fence-stores.js';
export { RedisFenceStore, type RedisFenceStoreOptions } from './fence-stores.js';
export { setIfFence, type SetIfFenceOptions } from './fence-stores.js';
export { sqlFence, type SqlFence, type SqlFenceOptions, type StoredFence } from './sql-fence.js';
