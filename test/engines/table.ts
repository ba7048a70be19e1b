import type { SuiteResult } from './report.js';

const INTRODUCTION = `# Engines

The contract, fault and topology suites on each server, as \`npm run test:engines -- --write\` wrote them down. The binaries
come from packages of Python, except for the Redis of the machine, and need no installation. \`.ci/run\` runs the contract
suite on Redis 8.2, with node-redis. The suites on each version of the client libraries are
[in a table of their own](decisions/drivers.md#the-suites-on-each-version).

Not run here: Dragonfly, KeyDB and Garnet, whose binaries are in no package that Python or Debian has, and managed services. What
is known of them is on a [page of its own](operate/managed-services.md#servers-that-speak-the-protocol-of-redis).

\`\`\`sh
npm run test:engines                                          # every suite on every engine
npm run test:engines -- --only redis-8.2 --suite contract     # some of them, by name
npm run test:engines -- --only redis-6.2 --write              # also replaces their rows below
\`\`\`
`;

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |\n`;

const skippedIn = ({ skipped }: SuiteResult): number => Object.values(skipped).reduce((sum, count) => sum + count, 0);

const results = (all: readonly SuiteResult[]): string =>
  row(['server', 'engine', 'binary from', 'suite', 'passed', 'skipped', 'failed', 'date']) +
  row(['---', '---', '---', '---', '--:', '--:', '--:', '---']) +
  all
    .map((result) => {
      const { version, engine, source, suite, passed, failed, date } = result;
      return row([version, `\`${engine}\``, source, suite, passed, skippedIn(result), failed.length, date]);
    })
    .join('');

const skips = (all: readonly SuiteResult[]): string => {
  const found = all.flatMap(({ version, suite, skipped }) =>
    Object.entries(skipped).map(([reason, count]) => row([version, suite, count, reason])),
  );
  if (found.length === 0) return 'No test is skipped.\n';
  return row(['server', 'suite', 'tests', 'reason']) + row(['---', '---', '--:', '---']) + found.join('');
};

const failures = (all: readonly SuiteResult[]): string => {
  const found = all.flatMap(({ version, suite, failed }) => failed.map((name) => `- ${version}, ${suite}: ${name}\n`));
  return found.length === 0 ? 'No test fails.\n' : found.join('');
};

/** The page of all results. */
export const pageOf = (all: readonly SuiteResult[]): string =>
  [INTRODUCTION, results(all), `## Skipped\n\n${skips(all)}`, `## Failed\n\n${failures(all)}`].join('\n');
