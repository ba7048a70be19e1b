import root from '../../jest.config.mjs';

/** The tests of the small samples, each beside the sample, and those that pages show. */
export default {
  ...root,
  rootDir: '../..',
  testMatch: [
    '<rootDir>/sample/{quick-start,transactions,cron,queue}/**/*.spec.ts',
    '<rootDir>/docs/snippets/**/*spec.ts',
  ],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
};
