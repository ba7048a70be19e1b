import { existsSync } from 'node:fs';
import { Cluster } from 'ioredis';
import { hashSlot } from '../../../lib/keys/hash-slot.js';
import { isAlive } from '../process/is-alive.js';
import { RedisCluster } from './redis-cluster.js';

const slot = hashSlot('{7}');

const clientOf = (cluster: RedisCluster, password?: string) =>
  new Cluster([...cluster.urls], { redisOptions: password === undefined ? {} : { password } }).on('error', () => {});

describe('RedisCluster', () => {
  let cluster: RedisCluster;

  beforeAll(async () => {
    cluster = await RedisCluster.start({ replicasPerMaster: 1, nodeTimeout: 1000 });
  });

  afterAll(() => cluster.stop());

  it('serves all keys as soon as it is started, each on one of its masters', async () => {
    const client = clientOf(cluster);
    for (let n = 0; n < 20; n++) await expect(client.set(`key:${n}`, n)).resolves.toBe('OK');
    client.disconnect();
    const owner = await cluster.ownerOf('key:7');
    expect(cluster.masters).toContain(owner);
    await expect(cluster.admin(owner).get('key:7')).resolves.toBe('7');
  });

  it('moves a slot with its keys, step by step', async () => {
    const from = await cluster.ownerOfSlot(slot);
    const to = cluster.masters.find((server) => server !== from);
    if (to === undefined) throw new Error('There is no other master');
    await cluster.admin(from).set('early:{7}', 'value');
    const replies: unknown[] = [];
    await cluster.moveSlot(slot, to, {
      betweenSteps: async () => {
        replies.push(await cluster.admin(from).get('early:{7}').catch(String));
      },
    });
    expect(replies).toEqual(['value', expect.stringContaining(`ASK ${slot} ${to.host}:${to.port}`)]);
    await expect(cluster.ownerOfSlot(slot)).resolves.toBe(to);
    await expect(cluster.admin(to).get('early:{7}')).resolves.toBe('value');
    await expect(cluster.admin(from).get('early:{7}')).rejects.toThrow(`MOVED ${slot}`);
  });

  it('replaces a master by its replica when told to, and when it is killed', async () => {
    const [first, , third] = cluster.masters;
    if (first === undefined || third === undefined) throw new Error('There are no such masters');
    const next = await cluster.failOver(first);
    expect(next).toBe(cluster.replicas[0]);
    await expect(cluster.ownerOfSlot(0)).resolves.toBe(next);
    await third.kill9();
    await cluster.settled();
    await expect(cluster.ownerOfSlot(16_383)).resolves.toBe(cluster.replicas[2]);
    await third.restart();
    await cluster.settled();
    await expect(cluster.admin(third).role()).resolves.toMatchObject({ 0: 'slave' });
  });

  it('sends clients through proxies, which may fail without the cluster knowing; leaves nothing behind', async () => {
    const password = 'secret';
    const args = ['--requirepass', password, '--masterauth', password];
    const proxied = await RedisCluster.start({ masters: 2, behindProxies: true, args });
    const { servers } = proxied;
    const pids = servers.map(({ pid }) => pid);
    const client = clientOf(proxied, password);
    try {
      await client.set('key:7', 'value');
      const owner = await proxied.ownerOf('key:7');
      const proxy = proxied.proxyOf(owner);
      expect(proxy.accepted).toBeGreaterThan(0);
      const to = servers.find((server) => server !== owner);
      if (to === undefined) throw new Error('There is no other master');
      proxy.blackhole();
      await proxied.moveSlot(hashSlot('key:7'), to);
      proxy.heal();
      await expect(client.get('key:7')).resolves.toBe('value');
    } finally {
      client.disconnect();
      await proxied.stop();
    }
    expect(pids.filter(isAlive)).toEqual([]);
    expect(servers.filter(({ folder }) => existsSync(folder))).toEqual([]);
  });

  it('reports why it cannot be started', async () => {
    await expect(RedisCluster.start({ args: ['--no-such-setting', '1'] })).rejects.toThrow('no-such-setting');
  });
});
