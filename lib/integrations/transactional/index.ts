/** @module nest-redis-lock/transactional */
export { announcingEnd, trackTransactions } from './tracked-adapter.js';
export { transactionEnd } from './transaction-end.js';
