import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ShopSettings, writeSettings } from '../shop.settings.js';
import type { StartFailure } from './process-protocol.js';

const CLOSING_PATIENCE_MS = 5000;

/** One process of the shop, seen from its parent. */
export class ShopProcess {
  private readonly worker: Worker;
  private readonly exit: Promise<unknown>;
  private failure = 'a process of the shop ended before it was open';

  constructor(private readonly settings: ShopSettings) {
    this.worker = cluster.fork(writeSettings(settings));
    this.worker.on('message', (message: StartFailure) => {
      this.failure = message.failure;
    });
    this.exit = once(this.worker, 'exit');
  }

  /** The port it listens on. Rejects with the process's own reason when it does not come that far. */
  async whenOpen(): Promise<number> {
    const listening = once(this.worker, 'listening').then(([address]: AddressInfo[]) => address?.port ?? 0);
    const ended = this.exit.then(() => Promise.reject(new Error(this.failure)));
    return Promise.race([listening, ended]);
  }

  async whenEnded(): Promise<string> {
    await this.exit;
    return `Process ${this.settings.processNumber} of the shop has ended.`;
  }

  /** Lets it answer what it has begun, but not for ever. */
  async close(): Promise<void> {
    this.worker.process.kill('SIGTERM');
    const overdue = setTimeout(() => this.worker.process.kill('SIGKILL'), CLOSING_PATIENCE_MS);
    await this.exit;
    clearTimeout(overdue);
  }
}
