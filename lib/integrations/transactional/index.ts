export { announcingEnd } from './tracked-adapter.js';
export { transactionEnd } from './transaction-end.js';
