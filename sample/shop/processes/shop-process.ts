import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ShopSettings, writeSettings } from '../shop.settings.js';
import type { StartFailure } from './process-protocol.js';

const SHUTDOWN_TIMEOUT_MS = 5000;

/** One process of the shop, seen from its parent. */
export class ShopProcess {
  private readonly worker: Worker;
  private readonly exit: Promise<unknown>;
  private failure = 'a process of the shop ended before it listened';

  constructor(private readonly settings: ShopSettings) {
    this.worker = cluster.fork(writeSettings(settings));
    this.worker.on('message', (message: StartFailure) => {
      this.failure = message.failure;
    });
    this.exit = once(this.worker, 'exit');
  }

  /** Resolves with the port. Rejects with the reason of the process if it could not start. */
  async whenOpen(): Promise<number> {
    const listening = once(this.worker, 'listening').then(([address]: AddressInfo[]) => address?.port ?? 0);
    const ended = this.exit.then(() => Promise.reject(new Error(this.failure)));
    return Promise.race([listening, ended]);
  }

  async whenEnded(): Promise<string> {
    await this.exit;
    return `Process ${this.settings.processNumber} of the shop has ended.`;
  }

  /** Lets it finish its requests, within a limit. */
  async close(): Promise<void> {
    this.worker.process.kill('SIGTERM');
    const overdue = setTimeout(() => this.worker.process.kill('SIGKILL'), SHUTDOWN_TIMEOUT_MS);
    await this.exit;
    clearTimeout(overdue);
  }
}
