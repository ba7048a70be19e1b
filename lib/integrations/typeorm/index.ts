export { transactionEnd } from './transaction-end.js';
export type { TransactionManager, TransactionRunner, TransactionSource } from './query-runner.js';
