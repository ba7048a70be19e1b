import root from '../../jest.config.mjs';

/** A suite with crowds of clients, thousands of names and ten thousand holds, which needs the processors for itself. */
export default {
  ...root,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/scale/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
};
