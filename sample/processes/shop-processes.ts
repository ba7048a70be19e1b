import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { ShopSettings } from '../shop.settings.js';
import { ShopProcess } from './shop-process.js';

/** The processes of one shop behind one port: node:cluster hands each its share of the connections, in turn. */
export class ShopProcesses implements AsyncDisposable {
  private constructor(
    private readonly processes: readonly ShopProcess[],
    readonly url: string,
  ) {}

  static async start(count: number, settings: ShopSettings): Promise<ShopProcesses> {
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ exec: fileURLToPath(new URL('../shop.js', import.meta.url)), args: [] });
    const processes = Array.from({ length: count }, (_, n) => new ShopProcess({ ...settings, processNumber: n + 1 }));
    try {
      const [port] = await Promise.all(processes.map((process) => process.whenOpen()));
      return new ShopProcesses(processes, `http://127.0.0.1:${port}`);
    } catch (error) {
      await closeAll(processes);
      throw error;
    }
  }

  get size(): number {
    return this.processes.length;
  }

  /** Resolves, with a sentence, when one of them is no longer there. */
  whenOneEnds(): Promise<string> {
    return Promise.race(this.processes.map((process) => process.whenEnded()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await closeAll(this.processes);
  }
}

async function closeAll(processes: readonly ShopProcess[]): Promise<void> {
  await Promise.all(processes.map((process) => process.close()));
}
