import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../servers/process/free-port.js';
import { isAtDefault } from '../../lib/cli/redis-place.js';
import { FaultProxy } from '../servers/proxy/fault-proxy.js';
import { RedisWorld } from '../kit/redis-world.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { CONTROL, runCli, sentence } from './command-line.js';

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

describe('Wrong usage', () => {
  it.each([
    [['lsit'], /unknown command 'lsit'/],
    [['doctor', '--josn'], /unknown option '--josn' \(Did you mean --json\?\)/],
    [['run'], /missing required argument 'name'/],
    [['run', 'job'], /missing required argument 'command'/],
    [['doctor', 'too', 'many'], /too many arguments/],
    [['run', 'job', '--wait', '3', '--', 'true'], /--wait 3 has no unit; give --wait 3s or 3ms/],
    [['run', 'job', '--lease', '30', '--', 'true'], /--lease 30 has no unit; give --lease 30s or 30ms/],
    [['run', 'job', '--kill-after', '10', '--', 'true'], /--kill-after 10 has no unit/],
    [['run', 'job', '--lease', '1ms', '--', 'true'], /--lease must be .*, but it was "1ms"/],
    [['run', 'job', '--limit', '0', '--', 'true'], /--limit must be .*, not 0/],
    [['run', 'job', '--limit', 'two', '--', 'true'], /--limit must be .*, not "two"/],
    [['run', 'job', '--kill-after', 'soon', '--', 'true'], /--kill-after must be .*, but it was "soon"/],
    [['doctor', '--url', 'redis://a', '--cluster', 'b'], /--url cannot be combined with --cluster/],
    [['doctor', '--sentinel', 'a:1'], /--sentinel needs --master/],
    [['doctor', '--master', 'a'], /--master is for --sentinel, which is missing/],
    [['doctor', '--cluster', 'a:b:c'], /--cluster must be a list such as host:6379,host:6379, without "a:b:c"/],
    [['doctor', '--cluster', 'u:secret@a'], /--cluster must be a list such as host:6379,host:6379, without a URL/],
    [['doctor', '--url', 'redis://x@a', '--user', 'y'], /--user cannot be combined with the user in --url/],
  ])('%j ends with one sentence and 64', async (parameters, reason) => {
    expect(await runCli(parameters)).toEqual({ code: 64, stdout: '', stderr: sentence(reason) });
  });

  it('without a command prints the help on the error stream, with 64', async () => {
    expect(await runCli([])).toEqual({
      code: 64,
      stdout: '',
      stderr: expect.stringContaining('Usage: nest-redis-lock'),
    });
  });

  it('is explained by --help, which lists all exit codes', async () => {
    const { code, stdout, stderr } = await runCli(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    for (const exitCode of [64, 65, 69, 70, 75, 76, 77, 78, 126, 127])
      expect(stdout).toMatch(new RegExp(`\\b${exitCode}\\b`));
  });
});

describe('Wrong settings of the connection', () => {
  it.each([
    ['http://127.0.0.1:1', /--url: connection has the protocol http:\/\/; give redis:\/\//],
    ['127.0.0.1:6379', /--url: connection has no protocol; give redis:\/\/127.0.0.1:6379/],
    ['redis://', /--url: connection is not a valid URL/],
    ['', /--url: connection is an empty string/],
  ])('the URL "%s" ends with one sentence and 78', async (url, reason) => {
    expect(await runCli(['doctor', '--url', url])).toEqual({ code: 78, stdout: '', stderr: sentence(reason) });
  });

  it('an empty REDIS_URL is named as such', async () => {
    const stderr = sentence(/REDIS_URL: connection is an empty string/);
    expect(await runCli(['doctor'], { REDIS_URL: '' })).toMatchObject({ code: 78, stderr });
  });

  it('a file that cannot be read ends with one sentence and 78', async () => {
    const stderr = sentence(/--ca cannot be read: ENOENT.*absent\.crt/);
    expect(await runCli(['doctor', '--ca', join(folder, 'absent.crt')])).toMatchObject({ code: 78, stderr });
  });

  it('a database that the server does not have ends with one sentence and 78', async () => {
    const stderr = sentence(/it has no database 99/);
    expect(await runCli(['doctor', '--url', `${world.server.url}/99`])).toMatchObject({ code: 78, stderr });
  });
});

describe('A server that does not answer', () => {
  it.each([['doctor'], ['run', 'job', '--wait', 'infinity', '--', 'touch']])(
    'ends %s with one sentence and 69',
    async (...command) => {
      const url = `redis://127.0.0.1:${await freePort()}`;
      const mark = join(folder, 'ran');
      const parameters = command.at(-1) === 'touch' ? [...command, mark] : command;
      const stderr = sentence(/No connection to Redis at 127\.0\.0\.1:\d+ within .*ECONNREFUSED.*check host and port/);
      expect(await runCli([...parameters.slice(0, 1), '--url', url, ...parameters.slice(1)])).toEqual({
        code: 69,
        stdout: '',
        stderr,
      });
    },
  );
});

describe('D63: What does not answer is named with its remedy', () => {
  it('a server of a cluster with a closed port', async () => {
    const port = await freePort();
    const stderr = sentence(
      /The Redis Cluster did not answer .*: Redis at 127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/,
    );
    expect(await runCli(['list', '--cluster', `127.0.0.1:${port}`])).toEqual({ code: 69, stdout: '', stderr });
  });

  it('a server that accepts and is silent', async () => {
    const proxy = await FaultProxy.start(world.server);
    proxy.acceptThenSilent();
    try {
      const stderr = sentence(
        /it has not answered yet; check host and port, and whether it is stopped or behind a firewall/,
      );
      expect(await runCli(['list', '--url', proxy.url])).toEqual({ code: 69, stdout: '', stderr });
    } finally {
      await proxy.close();
    }
  });
});

describe('D63: The default server', () => {
  it('is that of no option and no variable, of which a failure tells', () => {
    expect(isAtDefault({}, {})).toBe(true);
    expect(isAtDefault({ tls: true, keyPrefix: 'shop:' }, { REDIS_PASSWORD: 'secret' })).toBe(true);
    expect(isAtDefault({}, { REDIS_URL: 'redis://redis' })).toBe(false);
    for (const place of [{ url: 'redis://redis' }, { cluster: 'c1' }, { sentinel: 's1', master: 'shop' }])
      expect(isAtDefault(place, {})).toBe(false);
  });
});

describe('A server with a password', () => {
  it.each([
    [{}, /it requires a password, and none was given/],
    [{ REDIS_PASSWORD: 'guessed-wrongly' }, /it refuses the password of user "default"/],
  ])('ends with one sentence and 77 for the environment %j, and shows no password', async (given, reason) => {
    await using server = await RedisServer.start({ args: ['--requirepass', 'correct'] });
    for (const command of [['doctor'], ['run', 'job', '--', 'true']]) {
      const result = await runCli(command, { REDIS_URL: server.url, ...given });
      expect(result).toEqual({ code: 77, stdout: '', stderr: sentence(reason) });
      expect(result.stderr).not.toContain('guessed-wrongly');
    }
  });

  it('is used with the one from the environment', async () => {
    await using server = await RedisServer.start({ args: ['--requirepass', 'correct'] });
    const environment = { REDIS_URL: server.url, REDIS_PASSWORD: 'correct' };
    expect(await runCli(['run', 'job', '--', 'echo', 'ran'], environment)).toEqual({
      code: 0,
      stdout: 'ran\n',
      stderr: '',
    });
  });
});

describe('A user that lacks a right', () => {
  it('ends run with one sentence and 78, which names the right, and never runs the command', async () => {
    await world.admin.call('ACL', 'SETUSER', 'reader', 'on', '>password', '~*', '&*', '+@all', '-evalsha', '-eval');
    const environment = { REDIS_URL: world.server.url, REDIS_PASSWORD: 'password' };
    const result = await runCli(['run', 'job', '--user', 'reader', '--', 'echo', 'ran'], environment);
    expect(result).toEqual({ code: 78, stdout: '', stderr: sentence(/its user lacks the rights \+evalsha \+eval/) });
  });
});

describe('Control characters', () => {
  const HOSTILE = 'job\u001b[2J\u009b31m\u202e';

  it('in a name are refused with 65, and never reach the terminal', async () => {
    const { code, stderr } = await runCli(['run', HOSTILE, '--', 'true'], { REDIS_URL: world.server.url });
    expect([code, stderr]).toEqual([65, sentence(/The lock name ".*" contains a control character/)]);
    expect(stderr.trimEnd()).not.toMatch(CONTROL);
  });

  it('in the name of a holder never reach the terminal', async () => {
    await world.admin.hset('job', `${HOSTILE}:1`, 1);
    await world.admin.pexpire('job', 60_000);
    const { code, stderr } = await runCli(['run', 'job', '--wait', '0', '--', 'true'], { REDIS_URL: world.server.url });
    expect([code, stderr]).toEqual([75, sentence(/is held by job/)]);
    expect(stderr.trimEnd()).not.toMatch(CONTROL);
  });

  it('in a command that is unknown never reach the terminal', async () => {
    const { code, stderr } = await runCli([HOSTILE]);
    expect([code, stderr]).toEqual([64, sentence(/unknown command/)]);
    expect(stderr.trimEnd()).not.toMatch(CONTROL);
  });
});
