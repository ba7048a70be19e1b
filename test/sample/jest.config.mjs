import root from '../../jest.config.mjs';

/** The sample as its users start it, and its page in a real browser. */
export default {
  ...root,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/sample/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 90_000,
  // Each run has three processes and a server of its own.
  maxWorkers: 1,
};
