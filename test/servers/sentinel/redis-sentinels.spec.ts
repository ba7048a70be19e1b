import { existsSync } from 'node:fs';
import { Redis } from 'ioredis';
import { isAlive } from '../process/is-alive.js';
import { RedisSentinels } from './redis-sentinels.js';

describe('RedisSentinels', () => {
  it('replaces a master that was killed, and takes it back as a replica', async () => {
    await using watched = await RedisSentinels.start();
    const { initialMaster } = watched;
    await expect(watched.master()).resolves.toBe(initialMaster);
    const added = await watched.addReplica();
    expect(watched.replicas).toHaveLength(2);
    await initialMaster.kill9();
    const next = await watched.waitForFailOver(initialMaster);
    expect(watched.replicas).toContain(next);
    await expect(watched.master()).resolves.toBe(next);
    await initialMaster.restart();
    await watched.settled();
    await expect(watched.admin(initialMaster).role()).resolves.toMatchObject({ 0: 'slave', 2: next.port });
    expect(watched.replicas).toContain(added);
  }, 30_000);

  it('leads clients past a master whose network fails; leaves nothing behind', async () => {
    const watched = await RedisSentinels.start({ behindProxies: true, password: 'secret', sentinelPassword: 'quiet' });
    const { initialMaster, servers, sentinelServers } = watched;
    const all = [...servers, ...sentinelServers];
    const pids = all.map(({ pid }) => pid);
    const client = new Redis({
      sentinels: watched.sentinels.map((address) => ({ ...address })),
      name: watched.name,
      password: 'secret',
      sentinelPassword: 'quiet',
    }).on('error', () => {});
    try {
      await client.set('key', 'value');
      const proxy = watched.proxyOf(initialMaster);
      proxy.acceptThenClose();
      proxy.cutAll();
      const next = await watched.waitForFailOver(initialMaster);
      expect(next).toBe(watched.replicas[0]);
      await client.set('key', 'changed');
      await expect(watched.admin(next).get('key')).resolves.toBe('changed');
      await expect(watched.admin(initialMaster).get('key')).resolves.toBe('value');
    } finally {
      client.disconnect();
      await watched.stop();
    }
    expect(pids.filter(isAlive)).toEqual([]);
    expect(all.filter(({ folder }) => existsSync(folder))).toEqual([]);
  }, 30_000);
});
