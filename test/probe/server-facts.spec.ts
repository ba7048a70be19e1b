import { factsOf } from '../../lib/backend/probe/inspect-server.js';

const infoOf = (fields: Readonly<Record<string, string | number>>): string =>
  `# Server\r\n${Object.entries(fields)
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join('')}`;

describe('The facts of a server', () => {
  it('are read from INFO', () => {
    const info = infoOf({
      redis_version: '7.0.15',
      redis_mode: 'standalone',
      run_id: 'abc',
      maxmemory: 1024,
      maxmemory_policy: 'volatile-ttl',
      aof_enabled: 1,
      role: 'master',
      connected_slaves: 2,
      cluster_enabled: 0,
    });
    expect(factsOf('redis:6379', info)).toEqual({
      address: 'redis:6379',
      kind: 'Redis',
      isSentinel: false,
      level: [7, 0],
      version: '7.0.15',
      runId: 'abc',
      isClusterNode: false,
      role: 'master',
      master: undefined,
      memoryLimit: 1024,
      evictionPolicy: 'volatile-ttl',
      appendsToFile: true,
      replicas: 2,
    });
  });

  it.each([
    ['Valkey', '8.1.0', { redis_version: '7.2.4', server_name: 'valkey', valkey_version: '8.1.0' }],
    ['KeyDB', '6.3.4', { redis_version: '6.3.4', executable: '/usr/bin/keydb-server' }],
    ['Dragonfly', 'df-v1.20', { redis_version: '7.2.0', dragonfly_version: 'df-v1.20' }],
    ['Redis', '6.2.14', { redis_version: '6.2.14', executable: '/usr/bin/redis-server' }],
  ])('distinguish %s from others', (kind, version, fields) => {
    expect(factsOf('a:1', infoOf(fields))).toMatchObject({ kind, version });
  });

  it('are unknown if INFO lacks them', () => {
    expect(factsOf('a:1', '')).toEqual({ address: 'a:1', kind: 'Redis' });
  });

  it('include the master of a replica', () => {
    const info = infoOf({ role: 'slave', master_host: '10.0.0.1', master_port: 6379 });
    expect(factsOf('a:1', info)).toMatchObject({ role: 'replica', master: '10.0.0.1:6379' });
  });

  it.each([
    [{ redis_mode: 'cluster' }, true],
    [{ cluster_enabled: 1 }, true],
    [{ redis_mode: 'standalone' }, false],
  ])('in %j include whether it is part of a cluster', (fields, isClusterNode) => {
    expect(factsOf('a:1', infoOf(fields))).toMatchObject({ isClusterNode });
  });
});
