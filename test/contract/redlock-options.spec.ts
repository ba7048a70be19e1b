import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { memoryBackend } from '../../lib/backend/memory/memory-backend.js';
import { LockOptionsError, type RedisLockOptions } from '../../lib/standalone.js';
import { LockService } from '../../lib/lock.service.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { createRuntime } from '../../lib/module/runtime.factory.js';
import { systemScheduler } from '../../lib/time/scheduler.js';
import { caught, thrownBy } from '../kit/caught.js';
import { FaultProxy } from '../servers/proxy/fault-proxy.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { Time } from '../kit/time.js';
import { openClient } from '../kit/client.js';

const NODES = ['redis://:s3cret@one', 'redis://:s3cret@two:6380', { host: 'three', password: 's3cret' }];

const refusal = (redLock: unknown, options: RedisLockOptions = {}): LockOptionsError => {
  const error = thrownBy(() => parseModuleOptions({ ...options, redLock } as RedisLockOptions), LockOptionsError);
  expect(inspect(error, { depth: 9 })).not.toContain('s3cret');
  return error;
};

describe('The option redLock', () => {
  it('has defaults for all but the nodes', () => {
    const { redLock } = parseModuleOptions({ redLock: { nodes: NODES } });
    expect(redLock).toMatchObject({ nodeTimeout: 200, quorum: 2 });
    expect([...(redLock?.nodes.keys() ?? [])]).toEqual(['one:6379', 'two:6380', 'three:6379']);
  });

  it.each([
    ['no list', undefined],
    ['one node', NODES.slice(0, 1)],
    ['two nodes', NODES.slice(0, 2)],
  ])('is refused with %s', (_, nodes) => {
    expect(refusal({ nodes }).message).toMatch(/^redLock\.nodes must be /);
  });

  it.each<[string, RedisLockOptions['connection'], string]>([
    ['the same URL', 'redis://:s3cret@one', 'one:6379'],
    ['another database of it', 'redis://:s3cret@one/3', 'one:6379'],
    ['its options', { host: 'ONE', port: 6379 }, 'one:6379'],
    ['a client of it', new Redis({ host: 'two', port: 6380, lazyConnect: true }), 'two:6380'],
  ])('is refused with one server twice, given as %s', (_, twin, address) => {
    const { message, details } = refusal({ nodes: [...NODES, twin] });
    expect(message).toContain(`redLock.nodes[3] leads to ${address}, which is already in the list`);
    expect(details).toEqual({ option: 'redLock.nodes[3]' });
  });

  it('is refused with one socket twice', () => {
    expect(refusal({ nodes: ['/run/a.sock', { path: '/run/a.sock' }, 'redis://one'] }).message).toContain(
      'redLock.nodes[1] leads to /run/a.sock',
    );
  });

  it.each([
    ['a node that is no connection', { nodes: [...NODES, 'http://:s3cret@four'] }, 'redLock.nodes[3] is refused'],
    ['a quorum that is no majority', { nodes: NODES, quorum: 1 }, 'redLock.quorum must be'],
    ['a quorum of more than all', { nodes: NODES, quorum: 4 }, 'redLock.quorum must be'],
    ['a quorum that is no number', { nodes: NODES, quorum: '2' }, 'redLock.quorum must be'],
    ['a time-out that is too short', { nodes: NODES, nodeTimeout: 10 }, 'redLock.nodeTimeout must be'],
    ['an option that does not exist', { nodes: NODES, retries: 3 }, 'unknown option "retries"'],
    [
      'a key prefix of one node',
      { nodes: [...NODES, { host: 'four', keyPrefix: 'a:' }] },
      'redLock.nodes[3] has a key',
    ],
    ['a URL', 'redis://:s3cret@one', 'redLock must be an object'],
    ['the nodes themselves', NODES, 'redLock must be an object'],
    ['null', null, 'redLock must be an object'],
  ])('is refused with %s', (_, redLock, message) => {
    expect(refusal(redLock).message).toContain(message);
  });

  it('is refused beside the memory backend', () => {
    expect(refusal({ nodes: NODES }, { connection: 'memory' }).message).toContain('redLock cannot be combined');
  });

  it('may be missing: then getRedLock names the missing configuration', () => {
    const locks = new LockService(
      createRuntime(parseModuleOptions({ connection: 'memory' }), systemScheduler, memoryBackend),
    );
    const error = thrownBy(() => locks.getRedLock('n'), LockOptionsError);
    expect(error.message).toContain('give redLock: { nodes: [connection, connection, connection] }');
  });

  it('with one server reached in two ways is refused when that shows, and leaves nothing behind', async () => {
    await using server = await RedisServer.start();
    await using other = await RedisServer.start();
    await using detour = await FaultProxy.start(server);
    const nodes = [server.url, detour.url, other.url];
    const client = openClient({ connection: server.url, redLock: { nodes } });
    try {
      const lock = client.locks.getRedLock('n');
      // The double server is noticed when it has connected both ways. Meanwhile one of them and the other server are a
      // quorum.
      const refused = (async () => {
        for (;;) await (await lock.acquire({ wait: '5s' })).release();
      })();
      const error = await caught(refused, LockOptionsError);
      expect(error.message).toContain(`127.0.0.1:${server.port} and 127.0.0.1:${detour.port}`);
      await Time.real().until(async () => !(await client.locks.getLock('n').isLocked()), 1000);
    } finally {
      await client.close();
    }
  });
});
