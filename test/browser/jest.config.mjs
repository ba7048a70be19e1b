import root from '../../jest.config.mjs';

/** The dashboard in a real browser. */
export default {
  ...root,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/browser/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // The limit only ends a test that hangs.
  testTimeout: 120_000,
  maxWorkers: 1,
};
