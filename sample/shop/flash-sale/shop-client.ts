import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { StockLevel } from '../inventory/article.js';
import type { InventoryReport } from '../inventory/inventory-report.js';
import type { OrderRequest } from '../orders/order.js';
import { PROCESS_HEADER } from '../processes/process-protocol.js';

export interface Answer {
  readonly status: number;
  readonly body: string;
  /** The process of the shop that answered. */
  readonly process: string;
}

/** A client of the shop: HTTP over one keep-alive connection. */
export class ShopClient implements Disposable {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** @param patience How many milliseconds a connection may be silent before its request fails; 0 for no limit. */
  constructor(
    private readonly url: string,
    private readonly signal?: AbortSignal,
    private readonly patience = 0,
  ) {}

  order(order: OrderRequest): Promise<Answer> {
    return this.ask('POST', '/orders', order);
  }

  inventory(): Promise<InventoryReport> {
    return this.read('/inventory');
  }

  /** Replaces the stock of these warehouses and deletes their orders. */
  async restock(levels: readonly StockLevel[]): Promise<void> {
    await this.tell('PUT', '/inventory', { levels });
  }

  /** Sends a request that is answered with 204. */
  async tell(method: 'POST' | 'PUT', path: string, content: object): Promise<void> {
    await this.expect(204, method, path, content);
  }

  /** Reads JSON; the caller knows its type. */
  async read<T>(path: string): Promise<T> {
    return JSON.parse(await this.expect(200, 'GET', path)) as T;
  }

  async put<T>(path: string): Promise<T> {
    return JSON.parse(await this.expect(200, 'PUT', path)) as T;
  }

  /** Resolves with the first event of a stream, which stays open until this client is disposed. */
  async listen(path: string): Promise<string> {
    const stream = await this.send('GET', path);
    let received = '';
    for await (const chunk of stream.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      received += String(chunk);
      // The stream starts with an empty line; an event ends with one.
      const event = received.trimStart();
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
      const { agent, patience: timeout } = this;
      const options = { method, headers, agent, timeout, ...(this.signal && { signal: this.signal }) };
      const outgoing = request(new URL(path, this.url), options, resolve);
      outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path} had no answer for ${timeout} ms`)));
      outgoing.on('error', reject);
      outgoing.end(content && JSON.stringify(content));
    });
  }
}
