import root from '../../jest.config.mjs';

/** The suite that needs PostgreSQL: transactions around locked methods. */
export default {
  ...root,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/transactions/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // The first test of a clean clone may have to wait until PostgreSQL is installed.
  testTimeout: 180_000,
  // One installs it, and the figures are for one at a time.
  maxWorkers: 1,
};
