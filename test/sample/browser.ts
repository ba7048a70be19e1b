import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { chromiumBinary } from '../servers/install.js';
import { until } from '../kit/until.js';

/** The longest wait for a text on the page, ms. A sale may have to end first. */
const SHOWN_MS = 30_000;

const ARGUMENTS = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Answer {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * A page in a real Chromium. It is controlled by its debugging pipe, with messages of JSON that each end with a zero
 * byte.
 */
export class BrowserPage implements AsyncDisposable {
  /** Errors that scripts of the page have thrown. */
  readonly problems: string[] = [];
  private readonly answers = new Map<number, Answer>();
  private session: string | undefined;
  private lastId = 0;
  private rest = '';

  private constructor(
    private readonly browser: ChildProcess,
    private readonly profile: string,
  ) {
    const [, , , , out] = browser.stdio as unknown as Readable[];
    out?.setEncoding('utf8').on('data', (chunk: string) => this.read(chunk));
  }

  static async open(url: string): Promise<BrowserPage> {
    const profile = mkdtempSync(join(tmpdir(), 'sample-browser-'));
    const browser = spawn(chromiumBinary(), [...ARGUMENTS, `--user-data-dir=${profile}`], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    const page = new BrowserPage(browser, profile);
    const { targetId } = await page.send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' });
    const attached = await page.send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true });
    page.session = attached.sessionId;
    await page.send('Runtime.enable');
    await page.send('Page.navigate', { url });
    return page;
  }

  /** The value of an expression in the page. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result } = await this.send<{ result: { value: T } }>('Runtime.evaluate', {
      expression,
      returnByValue: true,
    });
    return result.value;
  }

  /** The text of the first element that matches, '' if there is none. */
  text(selector: string): Promise<string> {
    return this.evaluate(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`);
  }

  /** Resolves when the text of an element matches the pattern. */
  async shows(selector: string, pattern: RegExp): Promise<void> {
    await until(async () => pattern.test(await this.text(selector)), SHOWN_MS, `${selector} shows ${pattern}`);
  }

  async press(key: 'Tab' | 'Enter'): Promise<void> {
    const code = { Tab: 9, Enter: 13 }[key];
    const event = { key, code: key, windowsVirtualKeyCode: code, ...(key === 'Enter' && { text: '\r' }) };
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exit = once(this.browser, 'exit');
    await this.send('Browser.close');
    await exit;
    // Processes of the browser may write until they end.
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  private send<T>(method: string, params: object = {}): Promise<T> {
    this.lastId += 1;
    const id = this.lastId;
    const [, , , into] = this.browser.stdio as unknown as Writable[];
    into?.write(`${JSON.stringify({ id, method, params, sessionId: this.session })}\0`);
    return new Promise<T>((resolve, reject) => {
      this.answers.set(id, { resolve: (result) => resolve(result as T), reject });
    });
  }

  private read(chunk: string): void {
    const texts = (this.rest + chunk).split('\0');
    this.rest = texts.pop() ?? '';
    for (const text of texts) this.receive(JSON.parse(text) as Message);
  }

  private receive({ id, method, params, result, error }: Message): void {
    if (method === 'Runtime.exceptionThrown') this.problems.push(JSON.stringify(params));
    const answer = id === undefined ? undefined : this.answers.get(id);
    if (id === undefined || answer === undefined) return;
    this.answers.delete(id);
    if (error) answer.reject(new Error(error.message));
    else answer.resolve(result);
  }
}
