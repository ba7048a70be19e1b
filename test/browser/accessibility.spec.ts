import axe from 'axe-core';
import type { AxeResults } from 'axe-core';
import type { Browser } from 'playwright-core';
import type { Look } from './open-browser.js';
import { openBrowser, openPage } from './open-browser.js';
import { DashboardScene } from './dashboard-scene.js';

const LOOKS: readonly (readonly [string, Look])[] = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['light on a phone', { colorScheme: 'light', width: 390, height: 844 }],
  ['dark on a phone', { colorScheme: 'dark', width: 390, height: 844 }],
];

describe('The dashboard', () => {
  let browser: Browser;
  let scene: DashboardScene;

  beforeAll(async () => {
    [browser, scene] = await Promise.all([openBrowser(), DashboardScene.open()]);
  });

  afterAll(async () => {
    await browser.close();
    await scene.close();
  });

  it.each(LOOKS)('has no accessibility violation: %s', async (_, look) => {
    const problems: string[] = [];
    const page = await openPage(browser, scene.url, problems, look);
    const violations = async (): Promise<readonly string[]> => {
      // Evaluated by the debugger, which the policy of the page does not bind.
      await page.evaluate(axe.source);
      const results = await page.evaluate<AxeResults>('axe.run(document)');
      expect(results.passes.length).toBeGreaterThan(10);
      return results.violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
      );
    };
    await page.locator('#losses li').first().waitFor();
    await page.locator('.waiting details').first().waitFor();
    expect(await violations()).toEqual([]);
    // Nothing is cut off at the side.
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page
      .getByRole('button', { name: /^Release / })
      .first()
      .click();
    await page.getByRole('dialog').waitFor();
    expect(await violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByLabel('Search').fill('nothing like this');
    await page.getByText('No lock matches the search.').waitFor();
    expect(await violations()).toEqual([]);
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
