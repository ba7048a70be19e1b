import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { InventoryEntry } from '../inventory/inventory.controller.js';
import type { StockLevel } from '../inventory/stock.store.js';
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

  async inventory(): Promise<readonly InventoryEntry[]> {
    const { status, body } = await this.ask('GET', '/inventory');
    if (status !== 200) throw new Error(`GET /inventory answered ${status}: ${body}`);
    return JSON.parse(body) as InventoryEntry[];
  }

  /** Puts these articles into the empty shop. */
  async restock(levels: readonly StockLevel[]): Promise<void> {
    const { status, body } = await this.ask('PUT', '/inventory', { levels });
    if (status !== 204) throw new Error(`PUT /inventory answered ${status}: ${body}`);
  }

  [Symbol.dispose](): void {
    this.agent.destroy();
  }

  private async ask(method: string, path: string, content?: object): Promise<Answer> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const options = { method, headers, agent: this.agent, ...(this.signal && { signal: this.signal }) };
      const outgoing = request(new URL(path, this.url), options, resolve);
      outgoing.on('error', reject);
      outgoing.end(content && JSON.stringify(content));
    });
    const body = await text(response);
    return { status: response.statusCode ?? 0, body, process: String(response.headers[PROCESS_HEADER] ?? '1') };
  }
}
