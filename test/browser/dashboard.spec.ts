import type { AbstractHttpAdapter } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Browser, Page } from 'playwright-core';
import { LockService } from 'nest-redis-lock';
import { LockDashboardModule } from 'nest-redis-lock/dashboard';
import { Dashboard } from '../../lib/integrations/dashboard/dashboard.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { until } from '../kit/until.js';
import { serve, type Served } from '../nest/applications.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { openBrowser, openPage } from './open-browser.js';
import { Payments } from './payments.js';

const FIVE_MINUTES = 300_000;

const HOSTILE = [
  '<script>window.hacked = 1</script>',
  '"><img src=x onerror="window.hacked = 1">',
  "'); window.hacked = 1; ('",
  '</script><svg onload=window.hacked=1>',
  '{{constructor.constructor("window.hacked = 1")()}}',
  'javascript:window.hacked=1//&lt;b&gt;&quot;',
  'pay\u202Egnp.exe\u200Fend',
  '__proto__',
  'constructor',
  `long:${'x'.repeat(495)}`,
];

describe('The dashboard in a browser', () => {
  const adapter = (): AbstractHttpAdapter => new ExpressAdapter();

  let server: RedisServer;
  let browser: Browser;
  let served: Served;
  /** A process that has no dashboard. */
  let other: Served;
  let page: Page;
  let problems: string[];

  const openApplication = (port = 0): Promise<Served> =>
    serve(
      adapter,
      { imports: [LockDashboardModule.forRoot({ allowAnonymous: true, refresh: 200 })], providers: [Payments] },
      { connection: server.url, holderRecords: true },
      true,
      undefined,
      port,
    );

  beforeAll(async () => {
    browser = await openBrowser();
  });

  beforeEach(async () => {
    server = await RedisServer.start();
    served = await openApplication();
    other = await serve(adapter, { providers: [Payments] }, { connection: server.url, holderRecords: true });
    problems = [];
    page = await openPage(browser, `${served.url}/locks`, problems);
    await live();
  });

  afterEach(async () => {
    for (const { app } of [served, other]) app.get(Payments).gate.open();
    await page.context().close();
    await Promise.all([served.app.close(), other.app.close()]);
    await server.stop();
    expect(problems).toEqual([]);
  });

  afterAll(() => browser.close());

  const live = (): Promise<void> => page.getByText('Live', { exact: true }).waitFor();
  const locks = (): LockService => served.app.get(LockService);
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
  const outcome = (text: string | RegExp): Promise<void> =>
    page.getByRole('status').filter({ hasText: text }).waitFor();

  it('shows a lock, its holder and its waiter, under its template', async () => {
    await page.getByText('No lock is held, and none is waited for.').waitFor();
    const [holder, waiter] = [other.app.get(Payments), served.app.get(Payments)];
    const paid = holder.pay('42');
    await holder.gate.reached;
    const waited = waiter.pay('42');
    const order = row('order:42');
    await order.getByText('@Locked Payments.pay').waitFor();
    await order.getByText(`process ${process.pid}`).waitFor();
    await order.locator('.waiting .number').getByText('1', { exact: true }).waitFor();
    expect(await page.locator('#total-held').textContent()).toBe('1');
    expect(await page.locator('#total-waiting').textContent()).toBe('1');
    await page.getByLabel('Only locks that are waited for').check();
    await outcome('1 lock found');
    holder.gate.open();
    waiter.gate.open();
    await Promise.all([paid, waited]);
    await page.getByLabel('Only locks that are waited for').uncheck();
    // The process with the dashboard waited, so it knows the template.
    const group = page.getByRole('region', { name: 'order:<0>' });
    await group.getByText(/1 acquisition, 1 after a wait/).waitFor();
    await group.getByRole('img', { name: /^Longest wait in each 5 seconds/ }).waitFor();
    await group.getByRole('img', { name: /^Longest hold in each 5 seconds/ }).waitFor();
  });

  it('shows and finds why a lock is held, as text', async () => {
    await locks().acquire('import:7', { note: `Anna: ${HOSTILE[1]}\u202E` });
    await locks().acquire('other');
    await row('import:7').getByText(`“Anna: ${HOSTILE[1]}\\u{202e}”`, { exact: true }).waitFor();
    await row('other').getByText(`process ${process.pid}`).waitFor();
    expect(await row('other').locator('.reason').isHidden()).toBe(true);
    await page.getByLabel('Search').fill('anna');
    await outcome('1 lock found');
    await page.getByRole('button', { name: /^Release import:7/ }).click();
    await page.getByRole('dialog').getByText('“Anna: ').waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
  });

  it('shows a lost lock', async () => {
    await locks().acquire('gone', { lease: '1h' });
    await row('gone').waitFor();
    await locks().getLock('gone').forceRelease();
    await page.locator('#losses li').filter({ hasText: 'gone' }).first().waitFor();
    expect(await page.locator('#no-losses').isHidden()).toBe(true);
    expect(await page.locator('#total-lost').textContent()).not.toBe('0');
  });

  it('shows hostile names as text', async () => {
    for (const name of HOSTILE) await locks().acquire(name);
    await until(async () => (await page.locator('#total-held').textContent()) === String(HOSTILE.length));
    const shown = await page.locator('#groups tbody .name').allTextContents();
    expect(shown).toHaveLength(HOSTILE.length);
    for (const name of HOSTILE.slice(0, 6)) expect(shown).toContain(name);
    expect(shown).toContain('pay\\u{202e}gnp.exe\\u{200f}end');
    expect(shown.filter((name) => name.includes('…'))).toEqual([`long:${'x'.repeat(85)} … ${'x'.repeat(30)}`]);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('#groups').locator('script, img, svg[onload]').count()).toBe(0);
    await page.getByLabel('Search').fill('ONERROR');
    await outcome('1 lock found');
    expect(await page.locator('#groups tbody .name').allTextContents()).toEqual([HOSTILE[1]]);
    await page.getByLabel('Search').fill('u{202e}');
    await outcome('1 lock found');
    await page.getByRole('button', { name: /^Release pay/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Release the lock' }).click();
    await outcome(/was released\.$/);
    expect(
      await locks()
        .getLock(HOSTILE[6] ?? '')
        .isLocked(),
    ).toBe(false);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
  });

  it('releases a lock when that is confirmed, and not when it is cancelled', async () => {
    const hold = await locks().acquire('a');
    const button = page.getByRole('button', { name: /^Release a, held by/ });
    await button.click();
    await page.getByRole('dialog', { name: 'Release this lock?' }).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(hold.isHeld).toBe(true);
    await button.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Release the lock' }).click();
    await outcome('“a” was released.');
    await row('a').waitFor({ state: 'detached' });
    expect(hold.signal.aborted).toBe(true);
  });

  it('says so if the owner that was shown no longer holds the lock', async () => {
    const hold = await locks().acquire('a');
    await page.getByRole('button', { name: /^Release a, held by/ }).click();
    await hold.release();
    const next = await locks().acquire('a');
    await page.getByRole('dialog').getByRole('button', { name: 'Release the lock' }).click();
    await outcome('“a” was not released: this owner no longer holds it.');
    expect(next.isHeld).toBe(true);
  });

  it('can be used by the keyboard alone, and keeps its focus through updates', async () => {
    const hold = await locks().acquire('a');
    // Names the button once more when the record of the holder has come.
    await row('a').getByRole('button', { name: 'Release a, held by nest-redis-lock' }).waitFor();
    const focused = (): Promise<string> =>
      page.evaluate(`document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()`);
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the locks');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const name = await focused();
    expect(name).toBe('Release a, held by nest-redis-lock');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    expect(await focused()).toBe('Cancel');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await focused()).toBe(name);
    expect(hold.isHeld).toBe(true);
    await locks().acquire('0 comes before');
    await row('0 comes before').waitFor();
    expect(await focused()).toBe(name);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Release the lock');
    await page.keyboard.press('Enter');
    await outcome('“a” was released.');
    await row('a').waitFor({ state: 'detached' });
    // D68: the focus does not fall to the body.
    expect(await focused()).toMatch(/^Release 0 comes before/);
    await locks().getLock('0 comes before').forceRelease();
    await row('0 comes before').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
  });

  it('D64: asks for another stream when one ends, without saying that anything is wrong, and says if it is refused', async () => {
    const dashboard = served.app.get(Dashboard, { strict: false });
    const clock = new ManualClock();
    Reflect.set(dashboard, 'clock', clock);
    await page.reload();
    await live();
    await page.evaluate(`{
      window.states = [];
      const connection = document.getElementById('connection');
      new MutationObserver(() => window.states.push(connection.textContent)).observe(connection, {
        childList: true, characterData: true, subtree: true });
    }`);
    const another = page.waitForResponse(`${served.url}/locks/events`);
    await clock.advance(FIVE_MINUTES);
    expect((await another).status()).toBe(200);
    await locks().acquire('a');
    await row('a').waitFor();
    expect(await page.evaluate('window.states')).toEqual([]);
    // As a guard does that has changed its mind.
    await page.route('**/locks/events', (route) => route.fulfill({ status: 403 }));
    await clock.advance(FIVE_MINUTES);
    await outcome(/^This page is refused; reload it to sign in again\. What is shown is from /);
    await page.unroute('**/locks/events');
    await live();
  });

  it('says that the application does not answer, and goes on when it is back', async () => {
    const { port } = new URL(served.url);
    await locks().acquire('a');
    await row('a').waitFor();
    await served.app.close();
    await outcome(/^No answer from the application; trying again\. What is shown is from /);
    const button = page.getByRole('button', { name: /^Release a/ });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    // It stays focusable, so a click reaches it.
    await button.click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);
    served = await openApplication(Number(port));
    await live();
    await locks().acquire('b');
    await row('b').waitFor();
  });
});
