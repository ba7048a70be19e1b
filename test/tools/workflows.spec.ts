import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { engines } from '../engines/engines.js';

const ROOT = resolve(__dirname, '../..');

interface Job {
  readonly if?: string;
  readonly 'timeout-minutes': number;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly (string | number)[]>> };
  readonly steps?: readonly { readonly run?: string }[];
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const workflow = parse(read('.github/workflows/ci.yml')) as {
  readonly on: object;
  readonly jobs: Readonly<Record<string, Job>>;
};
const manifest = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };

/** The commands of a job, one for each entry of its matrix that they name. */
const commandsOf = ({ strategy, steps = [] }: Job): readonly string[] =>
  Object.entries(strategy?.matrix ?? {}).reduce<readonly string[]>(
    (commands, [name, values]) =>
      commands.flatMap((command) => {
        const place = `\${{ matrix.${name} }}`;
        return command.includes(place) ? values.map((value) => command.replace(place, String(value))) : [command];
      }),
    steps.flatMap(({ run }) => (run === undefined ? [] : [run])),
  );

const inWorkflow = new Set(Object.values(workflow.jobs).flatMap(commandsOf));

/** The steps of .ci/run, without what only its summary needs. */
const steps = [...read('.ci/run').matchAll(/^ *step (.+)$/gm)].map(([, step = '']) =>
  step.replace(' -- --json --outputFile="$results"', ''),
);

/** Steps that the workflow runs in another form. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'npm ci --no-fund --no-audit': 'in the action set-up',
  'npm run --silent test:package': 'in parts, package:peers once for each version of Nest',
  'env DRIVER=node-redis npm run --silent test:engines -- --only redis-8.2 --suite contract':
    'in test:drivers, and every suite on every engine',
  'env DRIVER=node-redis npx jest test/drivers test/faults': 'in test:drivers',
};

describe('The workflow of GitHub', () => {
  it('runs every step of .ci/run', () => {
    expect(steps.length).toBeGreaterThan(20);
    expect(steps.filter((step) => !inWorkflow.has(step))).toEqual(Object.keys(ELSEWHERE));
    expect(read('.github/actions/set-up/action.yml')).toContain('run: npm ci --no-fund --no-audit\n');
  });

  it('runs the suites on every engine', () => {
    const wanted = engines.map(({ name }) => `npm run --silent test:engines -- --only ${name}`);
    expect([...inWorkflow].filter((command) => command.includes('test:engines'))).toEqual(wanted);
  });

  it('runs every part of the tests of the package', () => {
    const parts = (manifest.scripts['test:package'] ?? '').split(' && ');
    expect(parts.length).toBeGreaterThan(4);
    const isThere = (part: string): boolean => [...inWorkflow].some((command) => command.startsWith(part));
    expect(parts.filter((part) => !isThere(part))).toEqual([]);
  });

  it('tries the package with every version of Nest', () => {
    const tried = [...read('test/package/check.ts').matchAll(/ nest: '(\d+)\./g)].map(([, major = '']) => major);
    const wanted = tried.map((major) => `npm run --silent package:peers -- --nest ${major}`);
    expect([...inWorkflow].filter((command) => command.includes('package:peers'))).toEqual(wanted);
  });

  it('runs nothing but scripts of package.json', () => {
    const scripts = [...inWorkflow].flatMap((command) => /^npm run --silent (\S+)/.exec(command)?.[1] ?? []);
    expect(scripts.filter((script) => !(script in manifest.scripts))).toEqual([]);
  });

  it('runs for a pull request what takes less than 15 minutes, and all of it every night', () => {
    const { passed: _, ...jobs } = workflow.jobs;
    const always = Object.entries(jobs).filter(([, job]) => job.if === undefined);
    expect(always.map(([name]) => name)).toEqual(['checks', 'test', 'explorer', 'peers', 'package']);
    for (const [, job] of always) expect(job['timeout-minutes']).toBeLessThanOrEqual(15);
    const nightly = new Set(Object.values(jobs).flatMap((job) => job.if ?? []));
    expect([...nightly]).toEqual(["inputs.all || github.event_name == 'schedule'"]);
    expect(workflow.on).toMatchObject({ schedule: [{}], workflow_call: { inputs: { all: { default: true } } } });
  });

  it('waits for every job before it passes', () => {
    const { passed, ...others } = workflow.jobs as Readonly<Record<string, { readonly needs?: readonly string[] }>>;
    expect(passed?.needs).toEqual(Object.keys(others));
  });
});

describe('The files of .github', () => {
  const files = readdirSync(join(ROOT, '.github'), { recursive: true, encoding: 'utf8' });

  it.each(files.filter((file) => file.endsWith('.yml')))('%s is YAML', (file) => {
    expect(() => parse(read(join('.github', file)), { strict: true, uniqueKeys: true })).not.toThrow();
  });
});
