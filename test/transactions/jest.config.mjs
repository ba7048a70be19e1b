import root from '../../jest.config.mjs';

/** A suite that needs PostgreSQL: transactions around locked methods. */
export default {
  ...root,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/transactions/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // The first test of a clean clone may have to wait for the installation of PostgreSQL.
  testTimeout: 180_000,
  // Only one process may install PostgreSQL, and the figures are for one suite at a time.
  maxWorkers: 1,
};
