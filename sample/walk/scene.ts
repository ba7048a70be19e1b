import { ShopClient } from '../flash-sale/shop-client.js';
import type { ShopProcesses } from '../processes/shop-processes.js';
import type { Locking } from '../shop.settings.js';
import type { Progress } from './progress.js';

/** A shop that is open, and whoever looks at it. */
export class Scene {
  constructor(
    readonly locking: Locking,
    private readonly shop: ShopProcesses,
    readonly progress: Progress,
    readonly interruption: AbortSignal,
  ) {}

  /** A connection of its own; the shop's processes get them in turn. */
  readonly connect = (): ShopClient => new ShopClient(this.shop.url, this.interruption);

  get processes(): number {
    return this.shop.size;
  }

  /** @throws when the walk is to end. */
  announce(what: string): void {
    this.interruption.throwIfAborted();
    this.progress.step(`Locks ${this.locking}: ${what} …`);
  }

  count(what: string, done: number, total: number): void {
    this.progress.count(`Locks ${this.locking}: ${what}`, done, total);
  }
}
