import { readFileSync } from 'node:fs';

const swc = JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8'));

/** Nest 12 and these packages are ESM only; jest runs CommonJS on Node 20, so they are compiled on the way in. */
const esmOnly = [
  '@nestjs',
  'fast-check',
  'pure-rand',
  'file-type',
  'strtok3',
  'token-types',
  '@tokenizer',
  'uint8array-extras',
  '@borewit',
];

export default {
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/servers/install.ts',
  setupFilesAfterEnv: ['<rootDir>/test/kit/end-contexts.cjs', '<rootDir>/test/kit/prefer-driver.cjs'],
  testMatch: ['<rootDir>/lib/**/*.spec.ts', '<rootDir>/{bench,test}/**/*.spec.ts'],
  // Minutes, not seconds: these have commands of their own.
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/(model|package|soak|scale|interop|matrix|transactions|sample|cli|browser)/',
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/bench/node_modules/', '<rootDir>/test/matrix/nest-'],
  transform: { '^.+\\.[jt]s$': ['@swc/jest', swc] },
  transformIgnorePatterns: [`node_modules/(?!(${esmOnly.join('|')})/)`],
  moduleNameMapper: {
    '^nest-redis-lock$': '<rootDir>/lib/index.ts',
    '^nest-redis-lock/(advanced|standalone)$': '<rootDir>/lib/$1.ts',
    '^nest-redis-lock/(testing|driver-kit)$': '<rootDir>/lib/$1/index.ts',
    '^nest-redis-lock/([a-z-]+)$': '<rootDir>/lib/integrations/$1/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  // A guard against a test that hangs. No test is decided by it: a busy machine takes many times as long.
  testTimeout: 120_000,
  // More than cores on a small machine: the tests mostly wait.
  maxWorkers: 5,
  coverageProvider: 'v8',
  collectCoverageFrom: ['lib/**/*.ts', '!lib/**/*.spec.ts', '!lib/**/*.generated.ts'],
};
