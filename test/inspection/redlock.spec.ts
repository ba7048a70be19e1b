import { onMasters } from '../kit/redlock-world.js';

onMasters(3, (world) => {
  describe('The inspection of a RedLock', () => {
    it('tells who holds a majority of the servers, and what each of them has', async () => {
      const client = await world.open();
      const lock = client.locks.getRedLock('n');
      await expect(lock.inspect()).resolves.toMatchObject({ kind: 'redLock', state: 'free', holders: [] });
      const { owner } = await lock.acquire();
      // A server that is slow on a busy machine does not count.
      await world.time.until(async () => (await lock.inspect()).state === 'held', 5000);
      const { nodes, holders } = await lock.inspect();
      expect(holders).toMatchObject([{ owner, mode: 'exclusive', count: 1, isThisProcess: true }]);
      expect(nodes).toHaveLength(3);
      expect(nodes?.map(({ node }) => node)).toEqual([...new Set(nodes?.map(({ node }) => node))]);
      expect(nodes?.filter((node) => node.lock?.holders[0]?.owner === owner).length).toBeGreaterThanOrEqual(2);
    });

    it('says of a lock on a minority of the servers that it is free', async () => {
      const { locks } = await world.open();
      const [first] = world.at(0);
      await first?.put('n', 'other:1', 60_000);
      const { nodes, holders, state } = await locks.getRedLock('n').inspect();
      expect(state).toBe('free');
      expect(holders).toEqual([]);
      expect(nodes?.map(({ lock }) => lock?.state)).toEqual(['held', 'free', 'free']);
    });

    it('says which server does not answer, and goes on without it', async () => {
      const { locks } = await world.open();
      const lock = locks.getRedLock('n');
      const { owner } = await lock.acquire();
      await world.time.until(async () => !(await world.holders('n')).includes(undefined), 5000);
      world.at(2)[0]?.server.pause();
      const { nodes, holders } = await lock.inspect();
      expect(holders).toMatchObject([{ owner }]);
      expect(nodes?.map(({ error }) => error !== undefined)).toEqual([false, false, true]);
      expect(nodes?.[2]).not.toHaveProperty('lock');
    });

    it('says that it does not know if too few servers answer', async () => {
      const { locks } = await world.open();
      const lock = locks.getRedLock('n');
      await lock.acquire();
      for (const { server } of world.at(0, 1)) server.pause();
      await expect(lock.inspect()).resolves.toMatchObject({
        state: 'unknown',
        problem: '2 of 3 servers did not answer, and they decide',
      });
    });

    it('tells what is in the way on one server', async () => {
      const { locks } = await world.open();
      await world.at(1)[0]?.admin.rpush('n', 'x');
      const { problem, nodes } = await locks.getRedLock('n').inspect();
      expect(problem).toBe(`${nodes?.[1]?.node}: the key is a list`);
      expect(nodes?.[1]?.lock?.state).toBe('foreign');
    });
  });
});
