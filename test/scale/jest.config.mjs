import root from '../../jest.config.mjs';

/** Crowds of clients, thousands of names, ten thousand holds: they need the processors for themselves. */
export default {
  ...root,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/scale/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
};
