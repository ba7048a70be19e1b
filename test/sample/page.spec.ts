import type { Browser, Page } from 'playwright-core';
import type { InventoryReport } from '../../sample/shop/inventory/inventory-report.js';
import { openBrowser, openPage } from '../browser/open-browser.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { until } from '../kit/until.js';
import { open, type OpenShop } from './open-shop.js';

const START = '#start';
/** The longest wait for a text on the page, ms. A sale may have to end first, on a busy machine. */
const SHOWN_MS = 120_000;

describe.each(['redis', 'memory'])('The page of a shop in %s', (backend) => {
  let server: RedisServer | undefined;
  let shops: OpenShop[];
  let browser: Browser;
  let page: Page;
  let problems: string[];
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    browser = await openBrowser();
    server = backend === 'redis' ? await RedisServer.start() : undefined;
    const processes = server ? 2 : 1;
    env = { REDIS_URL: server?.url ?? '', PAYMENT_MS: '150', PROCESSES: String(processes) };
    shops = [];
    for (let number = 1; number <= processes; number += 1) {
      shops.push(await open({ ...env, PROCESS_NUMBER: String(number) }));
    }
    problems = [];
    page = await openPage(browser, first().url, problems);
  });

  afterAll(async () => {
    await browser.close();
    await Promise.all(shops.map(({ app }) => app.close()));
    await server?.stop();
  });

  const first = (): OpenShop => {
    const [shop] = shops;
    if (shop === undefined) throw new Error('There is no shop');
    return shop;
  };

  const textOf = async (selector: string): Promise<string> =>
    (await page.locator(selector).first().textContent()) ?? '';

  /** Resolves when the text of the first element matches the pattern. */
  const shows = (selector: string, pattern: RegExp): Promise<void> =>
    until(async () => pattern.test(await textOf(selector)), SHOWN_MS, `${selector} shows ${pattern}`);

  const isOff = async (): Promise<boolean> => (await page.getAttribute(START, 'aria-disabled')) === 'true';

  const isStale = (): Promise<boolean> => page.locator('#shop').evaluate((shop) => shop.classList.contains('stale'));

  const focused = (): Promise<string> => page.evaluate('document.activeElement.id');

  it('shows live data and can start a sale', async () => {
    await shows('#connection', /^Live: /);
    expect(await textOf('#connection')).toContain(`locks in ${backend === 'redis' ? 'Redis' : 'memory'}`);
    expect(await isOff()).toBe(false);
  });

  it('starts a sale by the keyboard, and shows the served order and how many wait', async () => {
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('locks');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('start');
    await page.keyboard.press('Enter');
    await shows(START, /The sale is running/);
    expect(await isOff()).toBe(true);
    await shows('#waiting', /^[1-9]/);
    await shows('.holder', /^Process 1$/);
    await shows('#permits', /^[1-5]$/);
    expect(await focused()).toBe('start');
  });

  it('shows the result of the sale and the figures of the shop', async () => {
    await shows('#outcome', /^The sale is over: .* nothing was oversold\.$/);
    await until(async () => !(await isOff()), SHOWN_MS, 'another sale can be started');
    const { entries } = (await (await fetch(`${first().url}/inventory`)).json()) as InventoryReport;
    const sold = entries.reduce((total, entry) => total + entry.sold, 0);
    expect(sold).toBeGreaterThan(0);
    expect(Number(await textOf('#sold'))).toBe(sold);
    await shows('#waiting', /^0$/);
    await shows('#report', new RegExp(`${sold} sold`));
    await shows('#ticks', /each on one process$/);
  });

  it('shows an order that another process serves', async () => {
    const other = shops.at(-1);
    const refill = { levels: [{ warehouse: 'aarhus', sku: 'console', stock: 9 }] };
    const headers = { 'content-type': 'application/json' };
    await fetch(`${first().url}/inventory`, { method: 'PUT', headers, body: JSON.stringify(refill) });
    const body = JSON.stringify({ warehouse: 'aarhus', lines: [{ sku: 'console', quantity: 1 }] });
    const orders = Array.from({ length: 8 }, () => fetch(`${other?.url}/orders`, { method: 'POST', headers, body }));
    await shows('[data-name="aarhus"] .holder', new RegExp(`^Process ${shops.length}$`));
    await shows('[data-name="aarhus"] .count', /^[1-7] waiting$/);
    expect((await Promise.all(orders)).map(({ status }) => status)).toEqual(orders.map(() => 201));
    await shows('[data-name="aarhus"] .holder', /^No order/);
  });

  it('D67: says what to press first, and before it is pressed why a process cannot be killed', async () => {
    await shows('#hint', /^\s*Press Start a sale first/);
    const isAlone = shops.length === 1;
    expect(await page.locator('#why-not-kill').isVisible()).toBe(isAlone);
    expect((await page.getAttribute('#kill', 'aria-disabled')) === 'true').toBe(isAlone);
    expect(await page.getAttribute('#kill', 'aria-describedby')).toBe(isAlone ? 'why-not-kill' : null);
    // It stays focusable, so a click reaches it.
    await page.locator('#kill').click({ force: true });
    await shows('#outcome', isAlone ? /^The sale is over: / : /^That needs the processes of npm start\.$/);
  });

  it('says why a button cannot do what it says', async () => {
    await page.click('#unlocked');
    await shows('#unlocked', /^Sell without locks$/);
    expect(await textOf('#outcome')).toBe('That needs the processes of npm start.');
    problems.splice(0); // The browser reports a refused request as an error.
  });

  it('leads to the dashboard of all locks', async () => {
    const locks = await openPage(browser, first().url, problems);
    await locks.getByRole('link', { name: 'All locks' }).click();
    await locks.waitForURL('**/locks');
    expect(new URL(locks.url()).pathname).toBe('/locks');
    for (const number of shops.keys())
      await locks
        .getByText(`process:${number + 1}`, { exact: true })
        .first()
        .waitFor();
    await locks.context().close();
  });

  it('reports that the shop does not answer, and continues when it is back', async () => {
    const { port } = new URL(first().url);
    await Promise.all(shops.map(({ app }) => app.close()));
    await shows('#connection', /does not answer since .*; the figures below are from then/);
    expect(await isOff()).toBe(true);
    expect(await isStale()).toBe(true);
    shops = [await open({ ...env, PORT: port })];
    await shows('#connection', /^Live: /);
    expect(await isStale()).toBe(false);
    expect(problems).toEqual([]);
  });
});
