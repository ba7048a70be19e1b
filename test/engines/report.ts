import type { Suite } from './engines.js';

/** The part of jest's report that is read. */
export interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
    }[];
  }[];
}

/** Result of one suite on one engine. */
export interface SuiteResult {
  readonly engine: string;
  /** Such as `Redis 6.2.14`. */
  readonly version: string;
  /** Where the binary came from. */
  readonly source: string;
  readonly suite: Suite;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly passed: number;
  /** Number of skipped tests for each reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /** Names of tests, and of files that could not be run. */
  readonly failed: readonly string[];
}

type Outcome = Pick<SuiteResult, 'passed' | 'skipped' | 'failed'>;

/** Tests that an engine cannot run have their reason in their name, see `test/servers/redis/server-features.ts`. */
const REASON = /\[skipped on [^:\]]+: ([^\]]+)\]/;

/** Counts the tests of a report. A test that is skipped without a reason has failed. */
export const outcomeOf = ({ testResults }: Report): Outcome => {
  const skipped: Record<string, number> = {};
  const failed: string[] = [];
  let passed = 0;
  for (const { name, assertionResults } of testResults) {
    if (assertionResults.length === 0) failed.push(`${name.replace(/^.*\/test\//, 'test/')} could not be run`);
    for (const { status, fullName } of assertionResults) {
      const [, reason] = REASON.exec(fullName) ?? [];
      if (status === 'passed') passed += 1;
      else if (status === 'pending' && reason !== undefined) skipped[reason] = (skipped[reason] ?? 0) + 1;
      else failed.push(status === 'failed' ? fullName : `${fullName} (${status} without a reason)`);
    }
  }
  return { passed, skipped, failed };
};

/** Whether the engine passed the suite. */
export const hasPassed = ({ passed, failed }: SuiteResult): boolean => passed > 0 && failed.length === 0;
