import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Hold, LockService } from 'nest-redis-lock';
import { SHOP_SETTINGS, type ShopSettings } from '../shop.settings.js';

/** The lock that a process holds while it runs: the watchdog renews it; after a crash its lease ends. */
export const presenceLockOf = (process: number): string => `process:${process}`;

/** Shows the other processes that this one runs, and which owner ids belong to it. */
@Injectable()
export class PresenceService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private hold: Hold | undefined;

  constructor(
    private readonly locks: LockService,
    @Inject(SHOP_SETTINGS) private readonly settings: ShopSettings,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.hold = await this.locks.acquire(presenceLockOf(this.settings.processNumber), { wait: 0 });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.hold?.release();
  }
}
