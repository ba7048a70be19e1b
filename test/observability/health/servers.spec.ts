import type { TestingModule } from '@nestjs/testing';
import { LockService, type RedisLockOptions } from 'nest-redis-lock';
import { until } from '../../kit/until.js';
import { RedisCluster } from '../../servers/cluster/redis-cluster.js';
import { freePort } from '../../servers/process/free-port.js';
import { FaultProxy } from '../../servers/proxy/fault-proxy.js';
import { connectAdmin } from '../../servers/redis/admin-connection.js';
import { RedisServer } from '../../servers/redis/redis-server.js';
import { checkLocks, type Reported, serveReady, startReady } from './ready-application.js';

const started: TestingModule[] = [];

const open = async (options: RedisLockOptions): Promise<TestingModule> => {
  const app = await startReady(options);
  started.push(app);
  return app;
};

afterEach(async () => {
  await Promise.all(started.splice(0).map((app) => app.close()));
});

/** Resolves with the first report in which the locks have this status. */
const untilStatus = async (app: TestingModule, status: Reported['status']): Promise<Reported> => {
  let found: Reported | undefined;
  await until(async () => {
    found = await checkLocks(app, { timeout: '2s' });
    return found.status === status;
  });
  return found as Reported;
};

describe('A health check over HTTP', () => {
  it('follows its server: up, down while it is stopped, and up again', async () => {
    await using server = await RedisServer.start();
    const { app, url } = await serveReady({ connection: server.url, commandTimeout: '2s' });
    const ready = async (): Promise<readonly [number, Reported]> => {
      const response = await fetch(`${url}/ready`);
      const { details } = (await response.json()) as { readonly details: { readonly locks: Reported } };
      return [response.status, details.locks];
    };
    const isReady = async (): Promise<boolean> => (await ready())[0] === 200;
    try {
      await until(isReady);
      const at = `127.0.0.1:${server.port}`;
      const up = {
        state: 'up',
        servers: [{ server: at, affects: 'all-locks', commands: 'up', messages: 'unused' }],
        probe: 'passed',
        watchdogLag: 0,
        recentLosses: 0,
        problems: [],
      };
      await expect(ready()).resolves.toEqual([200, { status: 'up', problems: [], connections: { default: up } }]);
      await server.kill9();
      const [status, { problems, connections }] = await ready();
      expect([status, connections['default']?.state]).toEqual([503, 'down']);
      expect(problems).toEqual([
        expect.stringMatching(new RegExp(`^No connection to Redis at ${at} within \\d+ ms: `)),
      ]);
      await server.restart();
      await until(isReady);
    } finally {
      await app.close();
    }
  });
});

describe('Locks on one server', () => {
  it('are down while their server is paused, and up again after it', async () => {
    await using server = await RedisServer.start();
    const app = await open({ connection: server.url });
    await untilStatus(app, 'up');
    server.pause();
    const { status, problems } = await checkLocks(app, { timeout: '100ms' });
    server.resume();
    expect(status).toBe('down');
    const expected = new RegExp(`^Redis at 127\\.0\\.0\\.1:${server.port} did not answer within \\d+ ms$`);
    expect(problems).toEqual([expect.stringMatching(expected)]);
    await untilStatus(app, 'up');
  });

  it('are degraded while waiters get no messages', async () => {
    await using server = await RedisServer.start();
    await using proxy = await FaultProxy.start(server);
    const admin = connectAdmin(server.url);
    const app = await open({ connection: proxy.url, probe: false });
    const locks = app.get(LockService);
    const hold = await locks.acquire('a');
    const waiting = locks.acquire('a', { wait: '1h' });
    await until(async () => (await checkLocks(app)).connections['default']?.servers[0]?.messages === 'up');
    proxy.acceptThenClose();
    await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    admin.disconnect();
    await until(async () => (await checkLocks(app, { timeout: '200ms' })).status !== 'up');
    const { status, problems, connections } = await checkLocks(app, { timeout: '5s' });
    proxy.heal();
    const [checked] = connections['default']?.servers ?? [];
    expect([status, checked?.commands, checked?.messages]).toEqual(['degraded', 'up', 'down']);
    expect(problems).toEqual([
      `No messages arrive from 127.0.0.1:${proxy.port}, so callers that wait for a lock notice its release later`,
    ]);
    await hold.release();
    await (await waiting).release();
    await until(async () => (await checkLocks(app)).status === 'up');
  });

  it('are down if the probe finds later that the server is unsafe', async () => {
    const port = await freePort();
    const app = await open({ connection: `redis://127.0.0.1:${port}`, commandTimeout: '50ms' });
    const before = await checkLocks(app, { timeout: '50ms' });
    expect([before.status, before.connections['default']?.probe]).toEqual(['down', 'pending']);
    const args = ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'];
    await using server = await RedisServer.start({ port, args });
    await until(async () => (await checkLocks(app)).connections['default']?.probe === 'refused');
    const { status, problems } = await checkLocks(app);
    expect(status).toBe('down');
    expect(problems).toEqual([
      expect.stringMatching(`^Locks could not be trusted\\. 127\\.0\\.0\\.1:${server.port}: it drops keys`),
    ]);
    await Promise.all(started.splice(0).map((each) => each.close()));
  });

  it('are up, with what the probe found, if they are granted all the same', async () => {
    await using server = await RedisServer.start({
      args: ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'],
    });
    const app = await open({ connection: server.url, probe: 'warn' });
    await until(async () => (await checkLocks(app)).connections['default']?.probe === 'unsafe');
    await expect(checkLocks(app)).resolves.toMatchObject({ status: 'up', problems: [] });
    await Promise.all(started.splice(0).map((each) => each.close()));
  });

  it('are down while a server that was just started grants none', async () => {
    await using server = await RedisServer.start();
    const app = await open({ connection: server.url, restartGuard: '1h' });
    const { status, problems } = await checkLocks(app);
    expect(status).toBe('down');
    expect(problems).toEqual([
      expect.stringMatching(
        new RegExp(
          `^Redis at 127\\.0\\.0\\.1:${server.port} was started or replaced recently and may have lost current holds; no lock is granted for another \\d+ ms$`,
        ),
      ),
    ]);
  });
});

describe('Locks on several servers', () => {
  it('are degraded without one master of a cluster, and down without all', async () => {
    await using cluster = await RedisCluster.start();
    const app = await open({ connection: { cluster: cluster.urls }, probe: false });
    const { connections } = await untilStatus(app, 'up');
    expect(connections['default']?.servers.map(({ server }) => server).toSorted()).toEqual(
      cluster.masters.map(({ port }) => `127.0.0.1:${port}`).toSorted(),
    );
    const [first, ...others] = cluster.masters;
    first?.pause();
    const degraded = await checkLocks(app, { timeout: '3s' });
    const alert = await checkLocks(app, { timeout: '3s', degradedIsDown: true });
    for (const master of others) master.pause();
    const down = await checkLocks(app, { timeout: '500ms' });
    for (const master of cluster.masters) master.resume();
    expect(degraded.status).toBe('degraded');
    expect(degraded.problems).toEqual([expect.stringContaining(`127.0.0.1:${first?.port}`)]);
    expect(alert.status).toBe('down');
    expect(down.status).toBe('down');
  });

  it('are degraded without a minority of the nodes of a RedLock, and down without the majority', async () => {
    await using one = await RedisServer.start();
    await using two = await RedisServer.start();
    await using three = await RedisServer.start();
    const app = await open({ redLock: { nodes: [one.url, two.url, three.url] }, probe: false });
    await untilStatus(app, 'up');
    await three.kill9();
    const { problems } = await untilStatus(app, 'degraded');
    expect(problems).toEqual([expect.stringContaining(`127.0.0.1:${three.port}`)]);
    await two.kill9();
    await untilStatus(app, 'down');
    await Promise.all(started.splice(0).map((each) => each.close()));
  });

  it('are checked by connection, and a problem names its connection', async () => {
    await using server = await RedisServer.start();
    await using other = await RedisServer.start();
    const app = await open({ connections: { default: server.url, billing: other.url }, probe: false });
    await untilStatus(app, 'up');
    await other.kill9();
    const { problems, connections } = await untilStatus(app, 'down');
    expect(problems).toEqual([expect.stringMatching(/^Connection "billing": .*127\.0\.0\.1/)]);
    expect(connections).toMatchObject({ default: { state: 'up' }, billing: { state: 'down' } });
    const ofDefault = await checkLocks(app, { connections: ['default'], timeout: '10s' });
    expect([ofDefault.status, Object.keys(ofDefault.connections)]).toEqual(['up', ['default']]);
    await Promise.all(started.splice(0).map((each) => each.close()));
  });
});
