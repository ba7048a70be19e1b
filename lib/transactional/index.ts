export { announcingEnd } from './announcing-end.js';
export { transactionEnd } from './transaction-end.js';
