import { Logger } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { type LockEvent, LockService, LockUnavailableError, type RedisLockOptions } from 'nest-redis-lock';
import type { OwnedRuntime } from '../../lib/module/runtime.factory.js';
import { LOCK_CONNECTIONS } from '../../lib/module/redis-lock.constants.js';
import type { ConnectionRegistry } from '../../lib/runtime/connection-registry.js';
import { freePort } from '../servers/process/free-port.js';
import { RedisCluster } from '../servers/cluster/redis-cluster.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { compile } from './applications.js';
import { until } from '../kit/until.js';

/** The longest time for one answer of a server that is asked whether it is up; it is asked again. */
const CHECK_MS = 1000;

let said: string[] = [];
let events: LockEvent[] = [];
const started: TestingModule[] = [];

const logger = {
  log: (line: string) => said.push(`log ${line}`),
  warn: (line: string) => said.push(`warn ${line}`),
  error: (line: string) => said.push(`error ${line}`),
};

/** The application has no probe, so all lines come from the connections. */
const open = async (options: RedisLockOptions): Promise<TestingModule> => {
  const module = await compile({}, { probe: false, commandTimeout: '200ms', ...options });
  Logger.overrideLogger(logger);
  await module.init();
  started.push(module);
  module.get(LockService).onEvent((event) => events.push(event));
  return module;
};

/**
 * Starts an application, and resolves once it is connected to every server. What it reported until then does not count: a
 * machine that connects late reports that as an outage, and its end.
 */
const start = async (options: RedisLockOptions): Promise<LockService> => {
  const module = await open(options);
  const { all } = module.get<ConnectionRegistry<OwnedRuntime>>(LOCK_CONNECTIONS);
  const health = async () => (await Promise.all(all.map((runtime) => runtime.check(CHECK_MS)))).flat();
  await until(async () => (await health()).every(({ commands }) => commands === 'up'));
  said = [];
  events = [];
  return module.get(LockService);
};

const works = (locks: LockService): Promise<boolean> =>
  locks.tryAcquire('works').then(
    async (hold) => {
      await hold?.release();
      return true;
    },
    () => false,
  );

const outages = (): readonly LockEvent[] => events.filter(({ type }) => type === 'unavailable' || type === 'available');

beforeEach(() => {
  said = [];
  events = [];
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((module) => module.close()));
  Logger.overrideLogger(false);
});

/** The limit only ends a test that would wait forever. */
const REPLACEMENT_LIMIT_MS = 60_000;

describe('D31: a server that goes down', () => {
  it('is reported once, however many calls fail, and once when it is back', async () => {
    await using server = await RedisServer.start();
    const locks = await start({ connection: server.url.replace('//', '//default:a-secret@') });
    await server.kill9();
    await until(() => outages().length > 0);
    for (let call = 0; call < 5; call++)
      await expect(locks.tryAcquire('order:1')).rejects.toThrow(LockUnavailableError);
    const at = `127.0.0.1:${server.port}`;
    expect(said).toEqual([
      `error Redis at ${at} cannot be reached: connect ECONNREFUSED ${at}. ` +
        'Until it is back, locks fail with LockUnavailableError, 503 over HTTP',
    ]);
    expect(outages()).toEqual([
      {
        type: 'unavailable',
        server: at,
        reason: `Redis at ${at} cannot be reached: connect ECONNREFUSED ${at}`,
        affects: 'all-locks',
        error: expect.any(LockUnavailableError) as unknown,
      },
    ]);
    await server.restart();
    await until(() => outages().length > 1);
    expect(said.slice(1)).toEqual([
      expect.stringMatching(new RegExp(`^log Redis at ${at} is back after [\\d.]+ m?s$`)),
    ]);
    expect(outages()[1]).toEqual({
      type: 'available',
      server: at,
      after: expect.any(Number) as unknown,
      isReplaced: false,
    });
    expect(said.join()).not.toContain('secret');
  });

  it('is reported for each connection that leads to it', async () => {
    await using server = await RedisServer.start();
    await using other = await RedisServer.start();
    await start({ connections: { default: server.url, billing: other.url } });
    await other.kill9();
    await until(() => said.length > 0);
    expect(said).toEqual([expect.stringContaining(`error Redis at 127.0.0.1:${other.port} cannot be reached`)]);
  });

  it('is a missing vote if it is one of several nodes', async () => {
    await using one = await RedisServer.start();
    await using two = await RedisServer.start();
    await using three = await RedisServer.start();
    await start({ redLock: { nodes: [one.url, two.url, three.url] } });
    await three.kill9();
    await until(() => said.length > 0);
    expect(said).toEqual([
      expect.stringMatching(
        new RegExp(
          `^error Redis at 127.0.0.1:${three.port} .*\\. Until it is back, getRedLock\\(name\\) decides without it$`,
        ),
      ),
    ]);
  });

  it('is not reported when the connection is closed on purpose', async () => {
    await using server = await RedisServer.start();
    await start({ connection: server.url });
    await Promise.all(started.splice(0).map((module) => module.close()));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(said).toEqual([]);
  });
});

describe('D31: servers of a cluster that go down', () => {
  it(
    'are reported with the consequence for their slots, and with their replacement',
    async () => {
      await using cluster = await RedisCluster.start({ replicasPerMaster: 1, nodeTimeout: 1000 });
      const locks = await start({ connection: { cluster: cluster.urls } });
      const owner = await cluster.ownerOf('works');
      const server = `127.0.0.1:${owner.port}`;
      await owner.kill9();
      // The cluster may take long to replace the server. On a busy machine other servers may be silent for a while,
      // too.
      const ofServer = () => outages().filter((outage) => 'server' in outage && outage.server === server);
      await until(() => ofServer().length === 2, REPLACEMENT_LIMIT_MS);
      expect(ofServer()).toMatchObject([
        { type: 'unavailable', server, affects: 'its-slots' },
        { type: 'available', server, isReplaced: true },
      ]);
      expect(said.filter((line) => line.includes(server))).toEqual([
        expect.stringMatching(
          /^error .* cannot be reached: .*\. Until it is back or replaced, locks in its slots fail/,
        ),
        expect.stringMatching(`^log Redis at ${server} is replaced after [\\d.]+ m?s$`),
      ]);
      await until(() => works(locks));
    },
    2 * REPLACEMENT_LIMIT_MS,
  );

  it('are reported once, as a cluster, if none of them answers', async () => {
    const ports = [await freePort(), await freePort()];
    const seeds = ports.map((port) => `redis://127.0.0.1:${port}`);
    const locks = (await open({ connection: { cluster: seeds } })).get(LockService);
    await until(() => said.length > 0);
    await expect(locks.tryAcquire('order:1')).rejects.toThrow(LockUnavailableError);
    expect(said).toEqual([
      expect.stringMatching(
        `^error Redis cluster of ${ports.map((port) => `127.0.0.1:${port}`).join(', ')} cannot be reached: ` +
          '.*\\. Until it is back, locks fail with LockUnavailableError',
      ),
    ]);
  });
});
