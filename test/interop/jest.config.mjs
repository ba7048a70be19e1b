import root from '../../jest.config.mjs';

/** A suite that needs a JDK and Maven: real Redisson on one side, this library on the other. */
export default {
  ...root,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/interop/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // The first test of a clean clone waits for Maven.
  testTimeout: 180_000,
  // Two Java processes and four Node processes are enough for one machine.
  maxWorkers: 1,
};
