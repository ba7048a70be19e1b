import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ShopSettings, writeSettings } from '../shop.settings.js';
import { isOperatorRequest, type OperatorAnswer, type OperatorRequest, type StartFailure } from './process-protocol.js';

const SHUTDOWN_TIMEOUT_MS = 5000;

/** Answers a request of a process; without `id`, which is added. */
export type Operator = (request: OperatorRequest, from: number) => Promise<Omit<OperatorAnswer, 'id'>>;

/** One process of the shop, seen from its parent. */
export class ShopProcess {
  private readonly worker: Worker;
  private readonly exit: Promise<unknown>;
  private failure = 'a process of the shop ended before it listened';
  private wasKilled = false;

  constructor(
    private readonly settings: ShopSettings,
    operator: Operator,
  ) {
    this.worker = cluster.fork(writeSettings(settings));
    this.worker.on('message', (message: StartFailure | OperatorRequest) => {
      if (isOperatorRequest(message)) void this.answer(message, operator);
      else this.failure = message.failure;
    });
    this.exit = once(this.worker, 'exit');
  }

  get number(): number {
    return this.settings.processNumber;
  }

  get pid(): number | undefined {
    return this.worker.process.pid;
  }

  /** Resolves with the port. Rejects with the reason of the process if it could not start. */
  async whenOpen(): Promise<number> {
    const listening = once(this.worker, 'listening').then(([address]: AddressInfo[]) => address?.port ?? 0);
    const ended = this.exit.then(() => Promise.reject(new Error(this.failure)));
    return Promise.race([listening, ended]);
  }

  /** Resolves when it has ended, unless it was killed, with a message. */
  async whenEnded(): Promise<string | undefined> {
    await this.exit;
    return this.wasKilled ? undefined : `Process ${this.number} of the shop has ended.`;
  }

  /** Ends it as a crash does: nothing is finished, and no lock is released. */
  async kill(): Promise<void> {
    this.wasKilled = true;
    this.worker.process.kill('SIGKILL');
    await this.exit;
  }

  /** Lets it finish its requests, within a limit. */
  async close(): Promise<void> {
    this.worker.process.kill('SIGTERM');
    const overdue = setTimeout(() => this.worker.process.kill('SIGKILL'), SHUTDOWN_TIMEOUT_MS);
    await this.exit;
    clearTimeout(overdue);
  }

  private async answer(request: OperatorRequest, operator: Operator): Promise<void> {
    const refusal = (error: unknown): Omit<OperatorAnswer, 'id'> => ({
      refused: error instanceof Error ? error.message : String(error),
    });
    const answer: OperatorAnswer = { id: request.id, ...(await operator(request, this.number).catch(refusal)) };
    if (this.worker.isConnected()) this.worker.send(answer);
  }
}
