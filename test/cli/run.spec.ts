import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fairQueue } from '../../lib/keys/redisson-keys.js';
import { RedisWorld } from '../kit/redis-world.js';
import { until } from '../kit/until.js';
import { CommandLine, type CommandResult, runCli, sentence } from './command-line.js';

const world = new RedisWorld();
let folder: string;

beforeAll(async () => {
  await world.start();
  folder = mkdtempSync(join(tmpdir(), 'cli-'));
});
afterEach(() => world.reset());
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await world.stop();
});

const environment = (): Record<string, string> => ({ REDIS_URL: world.server.url });
const run = (...parameters: readonly string[]): Promise<CommandResult> => runCli(['run', ...parameters], environment());
const start = (...parameters: readonly string[]): CommandLine =>
  CommandLine.start(['run', ...parameters], environment());
const shell = (script: string): readonly string[] => ['--', 'sh', '-c', script];

/** A command that says when it runs, and then waits for a signal. */
const waiting = (onTerm?: string): readonly string[] => {
  const listen = onTerm === undefined ? '' : `process.once("SIGTERM", () => { ${onTerm} });`;
  return ['--', process.execPath, '-e', `${listen} setInterval(() => {}, 1000); console.log("ready")`];
};

describe('run', () => {
  it('holds the lock while the command runs, with its streams and its exit code, and releases it', async () => {
    const running = start('job', ...shell('echo ready; until [ -e "$0/go" ]; do sleep 0.02; done; exit 3'), folder);
    await running.says('ready');
    expect(await world.admin.exists('job')).toBe(1);
    expect((await runCli(['show', 'job'], environment())).stdout).toMatch(/ sh on \S+ \(pid \d+\)/);
    writeFileSync(join(folder, 'go'), '');
    expect(await running.ended).toMatchObject({ code: 3, stderr: '' });
    expect(await world.admin.exists('job')).toBe(0);
  });

  it('keeps two commands from running at once, and runs all of them', async () => {
    const script = 'mkdir "$0/inside" || echo overlap; sleep 0.05; rmdir "$0/inside"; echo done';
    const all = await Promise.all([1, 2, 3].map(() => run('job', '--wait', 'infinity', ...shell(script), folder)));
    expect(all).toEqual(Array.from({ length: 3 }, () => ({ code: 0, stdout: 'done\n', stderr: '' })));
  });

  it('lets as many commands run at once as the limit says', async () => {
    const first = start('job', '--limit', '2', ...waiting());
    const second = start('job', '--limit', '2', '--fair', ...waiting());
    await Promise.all([first.says('ready'), second.says('ready')]);
    expect(await run('job', '--limit', '2', '--wait', '0', '--', 'true')).toMatchObject({
      code: 75,
      stderr: sentence(/"job" is not free|held by|permit/),
    });
    first.signal('SIGTERM');
    await first.ended;
    expect(await run('job', '--limit', '2', '--', 'true')).toMatchObject({ code: 0, stderr: '' });
    second.signal('SIGTERM');
    await second.ended;
  });

  it.each([
    [['--wait', '0'], /only one attempt was allowed/],
    [['--wait', '50ms'], /is still held by /],
    [['--wait', '50ms', '--fair'], /is still held by /],
  ])('exits with 75 if the lock is not free within %j, and never runs the command', async (options, reason) => {
    const { locks } = await world.open();
    const hold = await locks.getFairLock('job').acquire();
    const mark = join(folder, 'ran');
    expect(await run('job', ...options, '--', 'touch', mark)).toEqual({
      code: 75,
      stdout: '',
      stderr: sentence(reason),
    });
    expect(existsSync(mark)).toBe(false);
    await hold.release();
  });

  it('exits with 65 if the key is something else', async () => {
    await world.admin.set('job', 'data');
    expect(await run('job', '--', 'true')).toMatchObject({ code: 65, stderr: sentence(/holds a string/) });
    expect(await world.admin.get('job')).toBe('data');
  });

  it('exits with 127 for a command that is not there, and with 126 for one that cannot be run', async () => {
    expect(await run('job', '--', join(folder, 'absent'))).toMatchObject({
      code: 127,
      stderr: sentence(/was not found/),
    });
    const file = join(folder, 'data');
    writeFileSync(file, '');
    for (const command of [folder, join(file, 'below'), '']) {
      expect(await run('job', '--', command)).toMatchObject({ code: 126, stderr: sentence(/ cannot be run: /) });
    }
    expect(await world.admin.exists('job')).toBe(0);
  });

  it('keeps the name apart by the key prefix', async () => {
    const running = start('job', '--key-prefix', 'shop:', ...waiting());
    await running.says('ready');
    expect(await world.admin.exists('shop:job')).toBe(1);
    running.signal('SIGTERM');
    await running.ended;
  });
});

describe('A signal to run', () => {
  it('goes to the command, whose exit code decides', async () => {
    const running = start('job', ...waiting('console.log("terminated"); process.exit(7)'));
    await running.says('ready');
    running.signal('SIGTERM');
    expect(await running.ended).toEqual({ code: 7, stdout: 'ready\nterminated\n', stderr: '' });
    expect(await world.admin.exists('job')).toBe(0);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('ends with 128 and its number if %s ends the command', async (signal, code) => {
    const running = start('job', ...waiting());
    await running.says('ready');
    running.signal(signal);
    expect(await running.ended).toMatchObject({ code, stderr: '' });
    expect(await world.admin.exists('job')).toBe(0);
  });

  it('ends the wait for the lock, and leaves nothing behind', async () => {
    const { locks } = await world.open();
    const hold = await locks.getFairLock('job').acquire();
    const mark = join(folder, 'ran');
    const running = start('job', '--fair', '--wait', 'infinity', '--', 'touch', mark);
    await until(async () => (await world.admin.llen(fairQueue('job'))) > 0, 60_000);
    running.signal('SIGINT');
    expect(await running.ended).toEqual({ code: 130, stdout: '', stderr: '' });
    await until(async () => (await world.admin.llen(fairQueue('job'))) === 0);
    await hold.release();
    expect(existsSync(mark)).toBe(false);
  });
});
