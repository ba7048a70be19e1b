import { LockService } from 'nest-redis-lock';
import { LockDashboardModule } from 'nest-redis-lock/dashboard';
import type { DashboardSnapshot } from '../../lib/integrations/dashboard/dashboard-snapshot.types.js';
import { adapters, serve, type Served } from '../nest/applications.js';
import { RedisCluster } from '../servers/cluster/redis-cluster.js';

// What differs between adapters does not depend on the servers.
describe.each(adapters.slice(0, 1))('The dashboard on a cluster, by %s', (_, adapter) => {
  let cluster: RedisCluster;
  let served: Served;

  beforeAll(async () => {
    cluster = await RedisCluster.start();
    const connection = { cluster: cluster.masters.slice(0, 1).map(({ url }) => url) };
    const imports = [LockDashboardModule.forRoot({ allowAnonymous: true })];
    served = await serve(adapter, { imports }, { connection });
  });

  afterAll(async () => {
    await served.app.close();
    await cluster.stop();
  });

  const held = async (): Promise<readonly string[]> => {
    const { groups } = (await (await fetch(`${served.url}/locks/snapshot`)).json()) as DashboardSnapshot;
    return groups.flatMap(({ locks }) => locks.map(({ name }) => name));
  };

  it('shows the locks of all masters, and releases the holder of one', async () => {
    const locks = served.app.get(LockService);
    const names = Array.from({ length: 20 }, (_each, at) => `order:${at}`);
    const holds = await Promise.all(names.map((name) => locks.acquire(name)));
    const keys = await Promise.all(cluster.masters.map((server) => cluster.admin(server).dbsize()));
    expect(keys.filter((count) => count > 0)).toHaveLength(cluster.masters.length);
    expect((await held()).toSorted((a, b) => a.localeCompare(b))).toEqual(names.toSorted((a, b) => a.localeCompare(b)));

    const page = await fetch(`${served.url}/locks`);
    const [, token = ''] = /name="lock-dashboard-token" content="([^"]+)"/.exec(await page.text()) ?? [];
    const [cookie = ''] = (page.headers.get('set-cookie') ?? '').split(';');
    const released = await fetch(`${served.url}/locks/release`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie, 'x-lock-dashboard-token': token, origin: served.url },
      body: JSON.stringify({ name: 'order:7', owner: holds[7]?.owner }),
    });
    expect(released.ok).toBe(true);
    await expect(locks.getLock('order:7').isLocked()).resolves.toBe(false);
    await expect(locks.getLock('order:8').isLocked()).resolves.toBe(true);
    await Promise.all(holds.map((hold) => hold.release()));
  });
});
