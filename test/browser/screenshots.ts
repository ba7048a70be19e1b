import { join } from 'node:path';
import { DashboardScene } from './dashboard-scene.js';
import { type Look, openBrowser, openPage } from './open-browser.js';

const FOLDER = join(__dirname, '../../docs/observability');

const PICTURES: Readonly<Record<string, Look>> = {
  light: { colorScheme: 'light', width: 1200 },
  dark: { colorScheme: 'dark', width: 1200 },
  phone: { colorScheme: 'light', width: 390, height: 844 },
};

/** Writes the pictures of the documentation. */
const main = async (): Promise<void> => {
  const browser = await openBrowser();
  const scene = await DashboardScene.open();
  try {
    for (const [name, look] of Object.entries(PICTURES)) {
      const problems: string[] = [];
      const page = await openPage(browser, scene.url, problems, look);
      await page.locator('#losses li').first().waitFor();
      await page.locator('.waiting .some').first().waitFor();
      // A phone shows its first screen; all of it would be a very long picture.
      await page.screenshot({ path: join(FOLDER, `dashboard-${name}.png`), fullPage: name !== 'phone' });
      await page.context().close();
      if (problems.length > 0) throw new Error(problems.join('\n'));
    }
  } finally {
    await browser.close();
    await scene.close();
  }
};

void main();
