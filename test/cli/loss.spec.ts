import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisWorld } from '../kit/redis-world.js';
import { until } from '../kit/until.js';
import { isAlive } from '../servers/process/is-alive.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { CommandLine, sentence } from './command-line.js';

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
const start = (...parameters: readonly string[]): CommandLine =>
  CommandLine.start(['run', ...parameters], environment());
const shell = (script: string): readonly string[] => ['--', 'sh', '-c', script];

/** A command that says when it runs, and then waits for a signal. */
const waiting = (onTerm?: string): readonly string[] => {
  const listen = onTerm === undefined ? '' : `process.once("SIGTERM", () => { ${onTerm} });`;
  return ['--', process.execPath, '-e', `${listen} setInterval(() => {}, 1000); console.log("ready")`];
};

/** Deletes the lock, and cuts the connections: with new ones, all holds are checked at once. */
const lose = async (name: string): Promise<void> => {
  await world.admin.del(name);
  await world.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
};

describe('When the lock is lost, run', () => {
  it('stops the command with SIGTERM, and exits with 76', async () => {
    const running = start('job', ...waiting('console.log("stopped"); process.exit(0)'));
    await running.says('ready');
    await lose('job');
    expect(await running.ended).toEqual({
      code: 76,
      stdout: 'ready\nstopped\n',
      stderr: sentence(/Lock "job" is no longer held by .*; the command is stopped/),
    });
  });

  it('kills a command that ignores SIGTERM, and what it has started', async () => {
    const script = '(trap "" TERM; while :; do sleep 0.05; done) & echo "pid $!."; trap "" TERM; wait; wait; sleep 60';
    const running = start('job', '--kill-after', '100ms', ...shell(script));
    await running.says('.');
    await lose('job');
    expect(await running.ended).toMatchObject({ code: 76, stderr: sentence(/the command is stopped/) });
    const started = Number(/pid (\d+)/.exec(running.stdout)?.[1]);
    await until(() => !isAlive(started));
  });

  it('stops what the command has started and left behind as well', async () => {
    const script = '(trap "" TERM; while :; do sleep 0.05; done) & echo "pid $!."; wait';
    const running = start('job', '--kill-after', '100ms', ...shell(script));
    await running.says('.');
    await lose('job');
    expect(await running.ended).toMatchObject({ code: 76 });
    const started = Number(/pid (\d+)/.exec(running.stdout)?.[1]);
    await until(() => !isAlive(started));
  });

  it('notices it at the end of the command at the latest', async () => {
    const running = start('job', ...shell('echo ready; until [ -e "$0/gone" ]; do sleep 0.02; done'), folder);
    await running.says('ready');
    await world.admin.del('job');
    writeFileSync(join(folder, 'gone'), '');
    expect(await running.ended).toMatchObject({ code: 76, stderr: sentence(/was lost before the command had ended/) });
  });
});

describe('When the server goes away while the command runs, run', () => {
  it('stops the command at the end of the lease', async () => {
    await using server = await RedisServer.start();
    const running = CommandLine.start(['run', 'job', '--lease', '8s', '--url', server.url, ...waiting()]);
    await running.says('ready');
    server.pause();
    const { code, stderr } = await running.ended;
    expect([code, stderr]).toEqual([76, sentence(/the command is stopped/)]);
  });

  it('ends with the code of a command that has ended before that, and says that others may have to wait', async () => {
    await using server = await RedisServer.start();
    const running = CommandLine.start([
      'run',
      'job',
      '--url',
      server.url,
      ...shell('echo ready; until [ -e "$0/end" ]; do sleep 0.02; done; exit 4'),
      folder,
    ]);
    await running.says('ready');
    await server.kill9();
    writeFileSync(join(folder, 'end'), '');
    expect(await running.ended).toMatchObject({ code: 4, stderr: sentence(/The release was not confirmed/) });
  });
});

describe('On a terminal, run', () => {
  it('leaves Ctrl-C to the terminal, so that the command gets it once, and ends with its code', async () => {
    const listen =
      'process.on("SIGINT", () => { console.log("interrupted"); setTimeout(() => process.exit(5), 300); })';
    const script = `${listen}; setInterval(() => {}, 1000); console.log("ready")`;
    const running = CommandLine.startOnTerminal(['run', 'job', '--', process.execPath, '-e', script], environment());
    await running.says('ready');
    running.pressCtrlC();
    const { code, stdout } = await running.ended;
    expect([code, stdout.match(/interrupted/g)?.length]).toEqual([5, 1]);
    expect(await world.admin.exists('job')).toBe(0);
  });
});
