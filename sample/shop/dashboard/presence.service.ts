import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Hold, LockService } from 'nest-redis-lock';
import { ShutdownSignal } from '../shutdown-signal.js';
import { SHOP_SETTINGS, type ShopSettings } from '../shop.settings.js';

/** The lock that a process holds while it runs: the watchdog renews it; after a crash its lease ends. */
export const presenceLockOf = (process: number): string => `process:${process}`;

/** Shows the other processes that this one runs, and which owner ids belong to it. */
@Injectable()
export class PresenceService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private hold: Promise<Hold | undefined> = Promise.resolve(undefined);

  constructor(
    private readonly locks: LockService,
    private readonly shutdown: ShutdownSignal,
    @Inject(SHOP_SETTINGS) private readonly settings: ShopSettings,
  ) {}

  /** Not waited for: a process of this number that was killed has left its lock, until the lease ends. */
  onApplicationBootstrap(): void {
    const { signal } = this.shutdown;
    const name = presenceLockOf(this.settings.processNumber);
    this.hold = this.locks.acquire(name, { wait: Infinity, signal }).catch((error: unknown) => {
      if (!signal.aborted) console.error(error);
      return undefined;
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await (await this.hold)?.release();
  }
}
