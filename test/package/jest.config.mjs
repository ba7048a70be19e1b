import root from '../../jest.config.mjs';

/** What the declarations of the package show to its users. */
export default {
  ...root,
  rootDir: '../..',
  globalSetup: undefined,
  testMatch: ['<rootDir>/test/package/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
