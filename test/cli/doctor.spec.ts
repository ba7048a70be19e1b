import { RedisWorld } from '../kit/redis-world.js';
import { CommandLine, runCli } from './command-line.js';

const world = new RedisWorld();
beforeAll(() => world.start());
afterEach(() => world.reset());
afterAll(() => world.stop());

const environment = (): Record<string, string> => ({ REDIS_URL: world.server.url });

/** The arguments of the ACL line that doctor prints. */
const aclIn = (output: string): readonly string[] => /^ACL (SETUSER .*)$/m.exec(output)?.[1]?.split(' ') ?? [];

describe('doctor', () => {
  it('tells what is guaranteed, and prints an ACL line that is enough for a user of its own', async () => {
    const first = await runCli(['doctor', '--key-prefix', 'shop:'], environment());
    expect(first).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^found {4}Redis .*: locks exclude each other .*all rights$/m),
      stderr: '',
    });
    await world.admin.call('ACL', ...aclIn(first.stdout));
    const asUser = { ...environment(), REDIS_PASSWORD: 'password' };
    const options = ['--key-prefix', 'shop:', '--user', 'locks'];
    const second = await runCli(['doctor', ...options], asUser);
    expect(second).toEqual({ code: 0, stdout: expect.stringContaining('all rights'), stderr: '' });
    expect(await runCli(['run', 'job', ...options, '--', 'echo', 'ran'], asUser)).toMatchObject({
      code: 0,
      stdout: 'ran\n',
    });
  });

  it('warns of a missing prefix', async () => {
    const { code, stdout } = await runCli(['doctor'], environment());
    expect(code).toBe(0);
    expect(stdout).toMatch(/^warning {2}no keyPrefix is set/m);
  });

  it('exits with 78 if locks could not be trusted, with reason and remedy', async () => {
    await world.admin.config('SET', 'maxmemory', '100mb');
    await world.admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const { code, stdout } = await runCli(['doctor'], environment());
    const { dangers } = JSON.parse((await runCli(['doctor', '--json'], environment())).stdout) as { dangers: unknown };
    await world.admin.config('SET', 'maxmemory', '0');
    expect(code).toBe(78);
    expect(stdout).toMatch(/^danger {3}127\.0\.0\.1:\d+: it drops keys .*; set maxmemory-policy to noeviction/m);
    expect(dangers).toEqual([
      {
        where: expect.stringMatching(/^127/),
        reason: expect.stringContaining('drops keys'),
        remedy: expect.stringContaining('noeviction'),
      },
    ]);
  });

  it('uses colours on a terminal, unless NO_COLOR is set', async () => {
    const coloured = await CommandLine.startOnTerminal(['doctor'], environment()).ended;
    const plain = await CommandLine.startOnTerminal(['doctor'], { ...environment(), NO_COLOR: '1' }).ended;
    expect(coloured.stdout).toContain('\u001b[32mfound');
    expect(plain.stdout).toContain('found');
    expect(plain.stdout).not.toContain('\u001b');
    expect((await runCli(['doctor'], environment())).stdout).not.toContain('\u001b');
  });

  it('ends quietly if the reader of its output has gone', async () => {
    const running = CommandLine.start(['doctor'], environment());
    running.stopReading();
    expect(await running.ended).toMatchObject({ code: 141, stderr: '' });
  });
});
