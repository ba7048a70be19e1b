import root from '../../jest.config.mjs';

/** The tests of the small samples, each beside the sample. */
export default {
  ...root,
  rootDir: '../..',
  testMatch: ['<rootDir>/sample/{quick-start,transactions,cron,queue}/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
};
