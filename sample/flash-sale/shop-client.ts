import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { StockLevel } from '../inventory/article.js';
import type { InventoryReport } from '../inventory/inventory-report.js';
import type { OrderRequest } from '../orders/order.js';
import { PROCESS_HEADER } from '../processes/process-protocol.js';

export interface Answer {
  readonly status: number;
  readonly body: string;
  /** The process of the shop that gave it. */
  readonly process: string;
}

/** The shop as one customer sees it: over HTTP, by a connection that stays. */
export class ShopClient implements Disposable {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(
    private readonly url: string,
    private readonly signal?: AbortSignal,
  ) {}

  order(wish: OrderRequest): Promise<Answer> {
    return this.ask('POST', '/orders', wish);
  }

  inventory(): Promise<InventoryReport> {
    return this.read('/inventory');
  }

  /** Opens these warehouses anew, with this stock. */
  async restock(levels: readonly StockLevel[]): Promise<void> {
    await this.tell('PUT', '/inventory', { levels });
  }

  /** Has something done that nothing comes back of. */
  async tell(method: 'POST' | 'PUT', path: string, content: object): Promise<void> {
    await this.expect(204, method, path, content);
  }

  /** What is at a path, which whoever asks knows the type of. */
  async read<T>(path: string): Promise<T> {
    return JSON.parse(await this.expect(200, 'GET', path)) as T;
  }

  async put<T>(path: string): Promise<T> {
    return JSON.parse(await this.expect(200, 'PUT', path)) as T;
  }

  /** Resolves with the first event of a stream, which goes on until this client is disposed of. */
  async listen(path: string): Promise<string> {
    const stream = await this.send('GET', path);
    let heard = '';
    for await (const chunk of stream.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      heard += String(chunk);
      // What comes first is an empty line, to say that the stream is open; an event ends with one.
      const event = heard.trimStart();
      if (event.includes('\n\n')) return event;
    }
    throw new Error(`GET ${path} ended without an event`);
  }

  [Symbol.dispose](): void {
    this.agent.destroy();
  }

  private async expect(wanted: number, method: string, path: string, content?: object): Promise<string> {
    const { status, body } = await this.ask(method, path, content);
    if (status !== wanted) throw new Error(`${method} ${path} answered ${status}: ${body}`);
    return body;
  }

  private async ask(method: string, path: string, content?: object): Promise<Answer> {
    const response = await this.send(method, path, content);
    const body = await text(response);
    return { status: response.statusCode ?? 0, body, process: String(response.headers[PROCESS_HEADER] ?? '1') };
  }

  private send(method: string, path: string, content?: object): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const options = { method, headers, agent: this.agent, ...(this.signal && { signal: this.signal }) };
      const outgoing = request(new URL(path, this.url), options, resolve);
      outgoing.on('error', reject);
      outgoing.end(content && JSON.stringify(content));
    });
  }
}
