import { existsSync } from 'node:fs';
import { Redis } from 'ioredis';
import { isAlive } from '../process/is-alive.js';
import { RedisSentinels } from './redis-sentinels.js';

describe('RedisSentinels', () => {
  it('replaces a master that was killed, and takes it back as a replica', async () => {
    await using topology = await RedisSentinels.start();
    const { initialMaster } = topology;
    await expect(topology.master()).resolves.toBe(initialMaster);
    const added = await topology.addReplica();
    expect(topology.replicas).toHaveLength(2);
    await initialMaster.kill9();
    const next = await topology.waitForFailOver(initialMaster);
    expect(topology.replicas).toContain(next);
    await expect(topology.master()).resolves.toBe(next);
    await initialMaster.restart();
    await topology.settled();
    await expect(topology.admin(initialMaster).role()).resolves.toMatchObject({ 0: 'slave', 2: next.port });
    expect(topology.replicas).toContain(added);
  });

  it('leads clients past a master whose network fails; leaves nothing behind', async () => {
    const topology = await RedisSentinels.start({ behindProxies: true, password: 'secret', sentinelPassword: 'quiet' });
    const { initialMaster, servers, sentinelServers } = topology;
    const all = [...servers, ...sentinelServers];
    const pids = all.map(({ pid }) => pid);
    const client = new Redis({
      sentinels: topology.sentinels.map((address) => ({ ...address })),
      name: topology.name,
      password: 'secret',
      sentinelPassword: 'quiet',
    }).on('error', () => {});
    try {
      await client.set('key', 'value');
      const proxy = topology.proxyOf(initialMaster);
      proxy.acceptThenClose();
      proxy.cutAll();
      const next = await topology.waitForFailOver(initialMaster);
      expect(next).toBe(topology.replicas[0]);
      await client.set('key', 'changed');
      await expect(topology.admin(next).get('key')).resolves.toBe('changed');
      await expect(topology.admin(initialMaster).get('key')).resolves.toBe('value');
    } finally {
      client.disconnect();
      await topology.stop();
    }
    expect(pids.filter(isAlive)).toEqual([]);
    expect(all.filter(({ folder }) => existsSync(folder))).toEqual([]);
  });
});
