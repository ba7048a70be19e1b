import { ShopClient } from '../flash-sale/shop-client.js';
import type { ShopProcesses } from '../processes/shop-processes.js';
import type { Locking } from '../shop.settings.js';
import type { Progress } from './progress.js';

/** An open shop, as the scenarios use it. */
export class RunningShop {
  constructor(
    readonly locking: Locking,
    private readonly shop: ShopProcesses,
    readonly progress: Progress,
    readonly interruption: AbortSignal,
  ) {}

  /** Opens a connection; the processes of the shop get connections in turn. */
  readonly connect = (): ShopClient => new ShopClient(this.shop.url, this.interruption);

  get processes(): number {
    return this.shop.size;
  }

  /** @throws If the sample was interrupted. */
  announce(what: string): void {
    this.interruption.throwIfAborted();
    this.progress.step(`Locks ${this.locking}: ${what} …`);
  }

  count(what: string, done: number, total: number): void {
    this.progress.count(`Locks ${this.locking}: ${what}`, done, total);
  }
}
