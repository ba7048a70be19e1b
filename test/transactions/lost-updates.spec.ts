import { Pause } from '../kit/gate.js';
import { until } from '../kit/until.js';
import { allStarted } from '../servers/all-started.js';
import { Worker } from '../servers/worker.js';
import { SHOP_NAMES, type ShopName } from './replica.js';
import type { api } from './replica.worker.js';
import type { Way } from './shop.js';
import { World } from './shop-fixture.js';

const PROCESSES = 3;
const SELLERS = 3;
const EACH = 6;
const TRANSACTIONS = PROCESSES * SELLERS * EACH;
/** How long a transaction goes on after the locked method: long enough for the next to read what it has not committed. */
const GO_ON_MS = 20;

const SKU = 'apple';

describe('Updates by transactions around locked methods', () => {
  let world: World;
  let replicas: readonly Worker<typeof api>[];

  beforeAll(async () => {
    world = await World.start();
    const { redis, postgres } = world.servers;
    const file = new URL('./replica.worker.ts', import.meta.url);
    replicas = await allStarted(
      Array.from({ length: PROCESSES }, () => Worker.start<typeof api>(file, { args: [redis, postgres] })),
    );
  });

  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.call('close').then(() => replica.stop())));
    await world.stop();
  });

  beforeEach(() => world.sales.reset(SKU));

  /** Everybody sells at once. Returns how many sales were lost. */
  const lostBy = async (shop: ShopName, way: Way): Promise<number> => {
    const start = performance.now();
    const order = { shop, way, sku: SKU, sellers: SELLERS, each: EACH, goOnMs: GO_ON_MS };
    await Promise.all(replicas.map((replica) => replica.call('sell', order)));
    const lost = TRANSACTIONS - (await world.sales.sold(SKU));
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    process.stdout.write(`${shop}, ${way}: ${lost} of ${TRANSACTIONS} updates lost, ${seconds} s\n`);
    return lost;
  };

  describe.each(SHOP_NAMES)('with %s', (name) => {
    it('are lost where the lock is released with the method', async () => {
      await expect(lostBy(name, 'untilMethodEnds')).resolves.toBeGreaterThan(0);
    });

    it('are all there where the lock is kept until the transaction has ended', async () => {
      await expect(lostBy(name, 'untilTransactionEnds')).resolves.toBe(0);
    });

    it('are all there where the lock is taken around the transaction', async () => {
      await expect(lostBy(name, 'aroundTransaction')).resolves.toBe(0);
    });

    it('of two: the second reads before the first commits, and the first is lost', async () => {
      const shop = world.replica.shop(name);
      const commit = new Pause();
      const first = shop.untilMethodEnds(SKU, () => commit.here());
      await commit.reached;
      const second = shop.untilMethodEnds(SKU, async () => {});
      await until(async () => (await world.sales.waitingForRows()) === 1);
      commit.end();
      await Promise.all([first, second]);
      await expect(world.sales.sold(SKU)).resolves.toBe(1);
    });

    it('of two: the second waits for the lock until the first has committed, and is next then', async () => {
      const shop = world.replica.shop(name);
      const commit = new Pause();
      const first = shop.untilTransactionEnds(SKU, () => commit.here());
      await commit.reached;
      const second = shop.untilTransactionEnds(SKU, () => world.sales.sold(SKU));
      await until(() => world.waitingForLocks === 1);
      await expect(world.sales.waitingForRows()).resolves.toBe(0);
      commit.end();
      await first;
      const start = performance.now();
      await second;
      // Who has to ask, because nobody tells him, asks every 5 s.
      expect(performance.now() - start).toBeLessThan(1000);
      await expect(world.sales.sold(SKU)).resolves.toBe(2);
      await until(async () => !(await world.isLocked(SKU)));
    });
  });
});
