import root from '../../jest.config.mjs';

/** Runs the built command line as its users do, against real servers. */
export default {
  ...root,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/cli/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // The limit only ends a test that hangs.
  testTimeout: 120_000,
  maxWorkers: 2,
};
