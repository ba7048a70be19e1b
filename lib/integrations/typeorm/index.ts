/** @module nest-redis-lock/typeorm */
export { transactionEnd } from './transaction-end.js';
export type { TransactionManager, TransactionRunner, TransactionSource } from './query-runner.js';
