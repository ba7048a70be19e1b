import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { ShopSettings } from '../shop.settings.js';
import { deleteKeys } from './delete-keys.js';
import { ShopProcess } from './shop-process.js';

/** The processes of one shop behind one port: node:cluster distributes the connections in turn. */
export class ShopProcesses implements AsyncDisposable {
  private constructor(
    private readonly members: readonly ShopProcess[],
    private readonly settings: ShopSettings,
    readonly url: string,
  ) {}

  static async start(settings: ShopSettings): Promise<ShopProcesses> {
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ exec: fileURLToPath(new URL('../shop.js', import.meta.url)), args: [] });
    const numbers = Array.from({ length: settings.processes }, (_, n) => n + 1);
    const members = numbers.map((processNumber) => new ShopProcess({ ...settings, processNumber }));
    try {
      const [port] = await Promise.all(members.map((member) => member.whenOpen()));
      return new ShopProcesses(members, settings, `http://127.0.0.1:${port}`);
    } catch (error) {
      await closeAll(members);
      throw error;
    }
  }

  get size(): number {
    return this.members.length;
  }

  /** Resolves with a message when one of them has ended. */
  whenOneEnds(): Promise<string> {
    return Promise.race(this.members.map((member) => member.whenEnded()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await closeAll(this.members);
    const { redisUrl, keyPrefix } = this.settings;
    if (redisUrl !== undefined) await deleteKeys(redisUrl, keyPrefix);
  }
}

async function closeAll(members: readonly ShopProcess[]): Promise<void> {
  await Promise.all(members.map((member) => member.close()));
}
