import root from '../../jest.config.mjs';

/** A suite that runs the sample as its users start it, and its page in a real browser. */
export default {
  ...root,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/sample/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // The limit only ends a test that hangs. On a busy machine the sample takes minutes.
  testTimeout: 900_000,
  // Each run has three processes and a server of its own.
  maxWorkers: 1,
};
