import { Gate } from '../kit/gate.js';
import { until } from '../kit/until.js';
import { allStarted } from '../servers/process/all-started.js';
import { Worker } from '../servers/worker/worker.js';
import { SHOP_NAMES, type ShopName } from './replica.js';
import type { api } from './replica.worker.js';
import type { Way } from './shop.js';
import { ShopFixture } from './shop-fixture.js';

const PROCESSES = 3;
const SELLERS = 3;
const EACH = 6;
const TRANSACTIONS = PROCESSES * SELLERS * EACH;
/**
 * The time for which a transaction continues after the locked method, ms. The next transaction reads before it commits.
 */
const GO_ON_MS = 20;

const SKU = 'apple';

describe('Updates by transactions around locked methods', () => {
  let fixture: ShopFixture;
  let replicas: readonly Worker<typeof api>[];

  beforeAll(async () => {
    fixture = await ShopFixture.start();
    const { redis, postgres } = fixture.servers;
    const file = new URL('./replica.worker.ts', import.meta.url);
    replicas = await allStarted(
      Array.from({ length: PROCESSES }, () => Worker.start<typeof api>(file, { args: [redis, postgres] })),
    );
  });

  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.call('close').then(() => replica.stop())));
    await fixture.stop();
  });

  beforeEach(() => fixture.sales.reset(SKU));

  /** Makes all sellers sell at once. Resolves with the number of lost sales. */
  const lostBy = async (shop: ShopName, way: Way): Promise<number> => {
    const start = performance.now();
    const order = { shop, way, sku: SKU, sellers: SELLERS, each: EACH, goOnMs: GO_ON_MS };
    await Promise.all(replicas.map((replica) => replica.call('sell', order)));
    const lost = TRANSACTIONS - (await fixture.sales.sold(SKU));
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
      const shop = fixture.replica.shop(name);
      const commit = new Gate();
      const first = shop.untilMethodEnds(SKU, () => commit.pass());
      await commit.reached;
      const second = shop.untilMethodEnds(SKU, async () => {});
      await until(async () => (await fixture.sales.waitingForRows()) === 1);
      commit.open();
      await Promise.all([first, second]);
      await expect(fixture.sales.sold(SKU)).resolves.toBe(1);
    });

    it('of two: the second waits for the lock until the first has committed, and is next then', async () => {
      const shop = fixture.replica.shop(name);
      const commit = new Gate();
      const first = shop.untilTransactionEnds(SKU, () => commit.pass());
      await commit.reached;
      const second = shop.untilTransactionEnds(SKU, () => fixture.sales.sold(SKU));
      await until(() => fixture.waitingForLocks === 1);
      await expect(fixture.sales.waitingForRows()).resolves.toBe(0);
      commit.open();
      await first;
      const start = performance.now();
      await second;
      // A waiter that misses the release polls every 5 s.
      expect(performance.now() - start).toBeLessThan(1000);
      await expect(fixture.sales.sold(SKU)).resolves.toBe(2);
      await until(async () => !(await fixture.isLocked(SKU)));
    });
  });
});
