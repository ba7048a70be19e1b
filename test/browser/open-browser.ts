import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumBinary } from '../servers/install.js';

/** The longest wait for something on a page, ms. The machine may be busy. */
const SHOWN_MS = 60_000;

/** Chromium, which is installed if it is missing. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumBinary(),
    timeout: SHOWN_MS,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
  });

export interface Look {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
}

/** A page with cookies of its own. What its scripts throw, and what its policy refuses, is added to `problems`. */
export const openPage = async (
  browser: Browser,
  url: string,
  problems: string[],
  { colorScheme = 'light', width = 1200, height = 900 }: Look = {},
): Promise<Page> => {
  const context = await browser.newContext({ colorScheme, viewport: { width, height }, locale: 'en-GB' });
  context.setDefaultTimeout(SHOWN_MS);
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // Failed requests are part of some tests; they are logged as errors too.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  await page.goto(url);
  return page;
};
