/** @module nest-redis-lock/transactional */
export { announcingEnd, trackTransactions } from './transaction-end.js';
export { transactionEnd } from './transaction-end.js';
