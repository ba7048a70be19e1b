export { transactionEnd } from './transaction-end.js';
export type { TransactionManager, TransactionRunner, TransactionSource } from './transaction-source.js';
