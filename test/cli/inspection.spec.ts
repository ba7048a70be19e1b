import { until } from '../kit/until.js';
import { RedisWorld } from '../kit/redis-world.js';
import { RedisCluster } from '../servers/cluster/redis-cluster.js';
import { openClient } from '../kit/client.js';
import { CommandLine, type CommandResult, CONTROL, runCli, sentence } from './command-line.js';

const HOSTILE = 'job\u001b[2J\u009b31m\u202e';

const world = new RedisWorld();
beforeAll(() => world.start());
afterEach(() => world.reset());
afterAll(() => world.stop());

const environment = (): Record<string, string> => ({ REDIS_URL: world.server.url });
const cli = (...parameters: readonly string[]): Promise<CommandResult> => runCli(parameters, environment());

/** The values in lines of JSON. */
const valuesIn = (lines: string): readonly unknown[] =>
  lines
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

describe('list', () => {
  it('prints a table of what is held, in the order of names', async () => {
    const { locks } = await world.open();
    const [second, first] = [await locks.acquire('order:2'), await locks.getFencedLock('order:1').acquire()];
    const { code, stdout, stderr } = await cli('list');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
      ['NAME', 'KIND', 'OWNER'],
      ['order:1', 'fenced', first.owner],
      ['order:2', 'reentrant', second.owner],
      [''],
    ]);
    await Promise.all([first.release(), second.release()]);
  });

  it('prints lines of JSON, and only of names that match', async () => {
    const { locks } = await world.open({ keyPrefix: 'shop:' });
    const holds = await Promise.all([locks.acquire('order:1'), locks.acquire('user:1')]);
    const { stdout } = await cli('list', 'order:*', '--json', '--key-prefix', 'shop:');
    expect(valuesIn(stdout)).toEqual([
      expect.objectContaining({
        name: 'order:1',
        key: 'shop:order:1',
        kind: 'reentrant',
        state: 'held',
        holders: [expect.objectContaining({ owner: holds[0].owner, mode: 'exclusive', count: 1 })],
      }),
    ]);
    await Promise.all(holds.map((hold) => hold.release()));
  });

  it('says that nothing is held, in words only', async () => {
    expect(await cli('list', 'order:*')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'nest-redis-lock: No lock is held whose name matches order:*\n',
    });
    expect(await cli('list', '--json')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('lists the locks of all servers of a cluster', async () => {
    const cluster = await RedisCluster.start();
    try {
      const client = openClient({ connection: { cluster: cluster.urls } });
      await client.connected();
      const names = ['a', 'b', 'c', 'd', 'e'];
      const holds = await Promise.all(names.map((name) => client.locks.acquire(name)));
      const { stdout } = await runCli(['list', '--cluster', cluster.urls.map((url) => new URL(url).host).join(',')]);
      expect(stdout.match(/^[a-e](?= )/gm)).toEqual(names);
      await Promise.all(holds.map((hold) => hold.release()));
      await client.close();
    } finally {
      await cluster.stop();
    }
  });
});

describe('show', () => {
  it('tells who holds a lock and who waits for it, in order', async () => {
    const { locks } = await world.open();
    const other = await world.open();
    const hold = await locks.getFairLock('job').acquire();
    const waiting = other.locks.getFairLock('job').acquire({ wait: '60s' });
    await until(async () => (await locks.getFairLock('job').inspect()).waiting.count === 1);
    const { code, stdout, stderr } = await cli('show', 'job');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^kind {8}fair\nstate {7}held\n/m);
    expect(stdout).toMatch(/^OWNER .*LEASE LEFT/m);
    expect(stdout).toContain(`\n${hold.owner}  exclusive  1 `);
    expect(stdout).toMatch(/^PLACE {2}WAITING\n1 {6}\S+:\d+$/m);
    await hold.release();
    await (await waiting).release();
  });

  it('tells why a lock is held, as its holder has noted', async () => {
    const { locks } = await world.open({ holderRecords: true });
    const hold = await locks.acquire('job', { note: 'Anna: price list\u001b[2J' });
    let stdout = '';
    await until(async () => {
      ({ stdout } = await cli('show', 'job'));
      return stdout.includes('HELD BY');
    });
    expect(stdout).toMatch(/ HELD BY +NOTE\n/);
    expect(stdout).toContain('  Anna: price list\\u001b[2J\n');
    expect(valuesIn((await cli('show', 'job', '--json')).stdout)).toMatchObject([
      { holders: [{ record: { note: 'Anna: price list\u001b[2J' } }] },
    ]);
    await hold.release();
  });

  it('tells of a free lock that it is free', async () => {
    const { code, stdout } = await cli('show', 'job', '--json');
    expect([code, valuesIn(stdout)]).toEqual([
      0,
      [expect.objectContaining({ name: 'job', state: 'free', holders: [], waiting: { count: 0 } })],
    ]);
  });

  it('prints a fencing token as text in JSON', async () => {
    const { locks } = await world.open();
    const hold = await locks.getFencedLock('job').acquire();
    const { stdout } = await cli('show', 'job', '--json');
    expect(valuesIn(stdout)).toEqual([expect.objectContaining({ kind: 'fenced', fence: String(hold.fence) })]);
    await hold.release();
  });

  it('tells the permits of a semaphore, and the count of a latch', async () => {
    const { locks } = await world.open();
    await locks.getSemaphore('pool').trySetPermits(3);
    await locks.getCountDownLatch('start').trySetCount(2);
    expect((await cli('show', 'pool', '--kind', 'semaphore')).stdout).toMatch(/^permits {5}3 available$/m);
    expect((await cli('show', 'start', '--kind', 'latch')).stdout).toMatch(/^count {7}2$/m);
  });

  it('says what it found in place of a lock', async () => {
    await world.admin.rpush('job', 'data');
    const { code, stdout } = await cli('show', 'job');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^state {7}foreign\nproblem {5}.*list/m)]);
  });
});

describe('release', () => {
  it('ends the hold of exactly the owner that was seen', async () => {
    const { locks } = await world.open();
    const hold = await locks.acquire('job');
    expect(await cli('release', 'job', '--owner', 'someone:1')).toEqual({
      code: 65,
      stdout: '',
      stderr: sentence(/Nothing was released: "job" is not held by someone:1/),
    });
    expect(await world.admin.exists('job')).toBe(1);
    expect(await cli('release', 'job', '--owner', hold.owner)).toMatchObject({
      code: 0,
      stderr: sentence(/"job" was released/),
    });
    expect(await world.admin.exists('job')).toBe(0);
    await hold.release();
  });

  it('needs an owner', async () => {
    expect(await cli('release', 'job')).toMatchObject({ code: 64, stderr: sentence(/required option '--owner <id>'/) });
  });
});

describe('watch', () => {
  it('prints a line of JSON for each look', async () => {
    const { locks } = await world.open();
    const watching = CommandLine.start(['watch', '--json', '--interval', '100ms'], environment());
    await watching.says('"locks":[]');
    const hold = await locks.acquire('job');
    await watching.says('"name":"job"');
    const looks = valuesIn(watching.stdout.slice(0, watching.stdout.lastIndexOf('\n') + 1));
    expect(looks[0]).toEqual({ at: expect.any(String), locks: [] });
    watching.signal('SIGTERM');
    await watching.ended;
    await hold.release();
  });

  it('draws a table again and again on a terminal', async () => {
    const { locks } = await world.open();
    const hold = await locks.acquire('job');
    const watching = CommandLine.startOnTerminal(['watch', '--interval', '100ms'], environment());
    await watching.says('1 held, 0 waiting');
    await hold.release();
    await watching.says('0 held, 0 waiting');
    expect(watching.stdout).toContain('\u001b[1;1H\u001b[0J');
    watching.pressCtrlC();
    expect(await watching.ended).toMatchObject({ code: 130 });
  });

  it('goes on when the server is back', async () => {
    const watching = CommandLine.start(['watch', '--json', '--interval', '100ms'], environment());
    await watching.says('"locks":[]');
    await world.server.kill9();
    await watching.says('"error":"');
    await world.server.restart();
    const before = watching.stdout.length;
    await until(() => watching.stdout.slice(before).includes('"locks":[]}'), 60_000);
    watching.signal('SIGTERM');
    expect(await watching.ended).toMatchObject({ stderr: '' });
  });
});

describe('Control characters of others', () => {
  it('never reach the terminal from list, show, watch and release', async () => {
    await world.admin.hset(HOSTILE, `${HOSTILE}:1`, 1);
    await world.admin.pexpire(HOSTILE, 60_000);
    const commands = [['list'], ['list', '--json'], ['show', HOSTILE], ['show', HOSTILE, '--json']];
    for (const command of commands) {
      const { code, stdout, stderr } = await cli(...command);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/job.*\[2J/);
      expect(stdout.replaceAll('\n', '')).not.toMatch(CONTROL);
    }
    const [listed] = valuesIn((await cli('list', '--json')).stdout);
    expect(listed).toMatchObject({ name: HOSTILE, holders: [{ owner: `${HOSTILE}:1` }] });
    const released = await cli('release', HOSTILE, '--owner', `${HOSTILE}:1`);
    expect(released.code).toBe(0);
    expect(released.stderr.trimEnd()).not.toMatch(CONTROL);
  });
});

describe('Without the right to SCAN', () => {
  it('list ends with one sentence and 77', async () => {
    await world.admin.call('ACL', 'SETUSER', 'blind', 'on', '>password', '~*', '&*', '+@all', '-scan');
    const result = await runCli(['list', '--user', 'blind'], { ...environment(), REDIS_PASSWORD: 'password' });
    expect(result).toEqual({ code: 77, stdout: '', stderr: sentence(/NOPERM|scan/) });
  });
});
