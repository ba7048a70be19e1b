import { existsSync, readdirSync } from 'node:fs';
import { isAlive } from '../process/is-alive.js';
import { Replication } from './replication.js';
import { untilAgreed } from './until-agreed.js';

describe('Replication', () => {
  it('keeps replicas in step, those added later too', async () => {
    await using replication = await Replication.start({ replicas: 2 });
    const admin = replication.admin(replication.master);
    await admin.set('key', 'value');
    await replication.addReplica();
    await admin.set('key', 'changed');
    await replication.caughtUp();
    expect(replication.replicas).toHaveLength(3);
    for (const replica of replication.replicas) {
      await expect(replication.admin(replica).get('key')).resolves.toBe('changed');
    }
    // At once, not with the next beat of the replica: they have been in step.
    await expect(admin.wait(3, 1000)).resolves.toBe(3);
  });

  it('restarts a master as empty as any server, although replicas were sent its data', async () => {
    await using replication = await Replication.start();
    const { master, replicas } = replication;
    await replication.admin(master).set('key', 'value');
    await replication.addReplica();
    // Files that the data was sent in go within moments.
    const files = () => [master, ...replicas].flatMap(({ folder }) => readdirSync(folder));
    await untilAgreed(async () => !files().some((file) => file.endsWith('.rdb')), 'no data is on disk');
    await master.restart();
    await expect(replication.admin(master).dbsize()).resolves.toBe(0);
  });

  it('F21 a replica that was cut off is promoted with what it had; nothing is left behind', async () => {
    const replication = await Replication.start();
    const { master, replicas } = replication;
    const servers = [master, ...replicas];
    const pids = servers.map(({ pid }) => pid);
    try {
      const [replica] = replicas;
      if (replica === undefined) throw new Error('There is no replica');
      await replication.admin(master).set('key', 'value');
      await replication.caughtUp();
      replication.link(replica).blackhole();
      await replication.admin(master).set('key', 'changed');
      await replication.promote(replica);
      await expect(replication.admin(replica).role()).resolves.toMatchObject({ 0: 'master' });
      await expect(replication.admin(replica).get('key')).resolves.toBe('value');
      await expect(replication.admin(master).get('key')).resolves.toBe('changed');
    } finally {
      await replication.stop();
    }
    expect(pids.filter(isAlive)).toEqual([]);
    expect(servers.filter(({ folder }) => existsSync(folder))).toEqual([]);
  });
});
