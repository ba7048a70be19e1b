import root from '../../jest.config.mjs';

/** A suite that only computes: every state of the protocol of grants, within bounds. */
export default {
  ...root,
  rootDir: '../..',
  globalSetup: undefined,
  testMatch: ['<rootDir>/test/model/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
