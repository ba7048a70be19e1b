import type { InventoryReport } from '../../sample/inventory/inventory-report.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { until } from '../kit/until.js';
import { BrowserPage } from './browser.js';
import { open, type OpenShop } from './open-shop.js';

const START = '#start';

describe.each(['redis', 'memory'])('The page of a shop in %s', (backend) => {
  let server: RedisServer | undefined;
  let shops: OpenShop[];
  let page: BrowserPage;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    server = backend === 'redis' ? await RedisServer.start() : undefined;
    const processes = server ? 2 : 1;
    env = { REDIS_URL: server?.url ?? '', PAYMENT_MS: '150', PROCESSES: String(processes) };
    shops = [];
    for (let number = 1; number <= processes; number += 1) {
      shops.push(await open({ ...env, PROCESS_NUMBER: String(number) }));
    }
    page = await BrowserPage.open(first().url);
  });

  afterAll(async () => {
    await page[Symbol.asyncDispose]();
    await Promise.all(shops.map(({ app }) => app.close()));
    await server?.stop();
  });

  const first = (): OpenShop => {
    const [shop] = shops;
    if (shop === undefined) throw new Error('There is no shop');
    return shop;
  };

  const isOff = (): Promise<boolean> =>
    page.evaluate(`document.querySelector('${START}').getAttribute('aria-disabled') === 'true'`);

  it('shows live data and can start a sale', async () => {
    await page.shows('#connection', /^Live: /);
    expect(await page.text('#connection')).toContain(`locks in ${backend === 'redis' ? 'Redis' : 'memory'}`);
    expect(await isOff()).toBe(false);
  });

  it('starts a sale by the keyboard, and shows the served order and how many wait', async () => {
    await page.press('Tab');
    expect(await page.evaluate('document.activeElement.id')).toBe('start');
    await page.press('Enter');
    await page.shows(START, /The sale is running/);
    expect(await isOff()).toBe(true);
    await page.shows('#waiting', /^[1-9]/);
    await page.shows('.holder', /^Process 1$/);
    await page.shows('#permits', /^[1-5]$/);
    expect(await page.evaluate('document.activeElement.id')).toBe('start');
  });

  it('shows the result of the sale and the figures of the shop', async () => {
    await page.shows('#outcome', /^The sale is over: .* nothing was oversold\.$/);
    await until(async () => !(await isOff()), 30_000, 'another sale can be started');
    const { entries } = (await (await fetch(`${first().url}/inventory`)).json()) as InventoryReport;
    const sold = entries.reduce((total, entry) => total + entry.sold, 0);
    expect(sold).toBeGreaterThan(0);
    expect(Number(await page.text('#sold'))).toBe(sold);
    await page.shows('#waiting', /^0$/);
    await page.shows('#report', new RegExp(`${sold} sold`));
    await page.shows('#ticks', /each on one process$/);
  });

  it('shows an order that another process serves', async () => {
    const other = shops.at(-1);
    const refill = { levels: [{ warehouse: 'aarhus', sku: 'console', stock: 9 }] };
    const headers = { 'content-type': 'application/json' };
    await fetch(`${first().url}/inventory`, { method: 'PUT', headers, body: JSON.stringify(refill) });
    const body = JSON.stringify({ warehouse: 'aarhus', lines: [{ sku: 'console', quantity: 1 }] });
    const orders = Array.from({ length: 8 }, () => fetch(`${other?.url}/orders`, { method: 'POST', headers, body }));
    await page.shows('[data-name="aarhus"] .holder', new RegExp(`^Process ${shops.length}$`));
    await page.shows('[data-name="aarhus"] .count', /^[1-7] waiting$/);
    expect((await Promise.all(orders)).map(({ status }) => status)).toEqual(orders.map(() => 201));
    await page.shows('[data-name="aarhus"] .holder', /^Free/);
  });

  it('reports that the shop does not answer, and continues when it is back', async () => {
    const { port } = new URL(first().url);
    await Promise.all(shops.map(({ app }) => app.close()));
    await page.shows('#connection', /does not answer since .*; the figures below are from then/);
    expect(await isOff()).toBe(true);
    expect(await page.evaluate(`document.getElementById('shop').classList.contains('stale')`)).toBe(true);
    shops = [await open({ ...env, PORT: port })];
    await page.shows('#connection', /^Live: /);
    expect(await page.evaluate(`document.getElementById('shop').classList.contains('stale')`)).toBe(false);
    expect(page.problems).toEqual([]);
  });
});
