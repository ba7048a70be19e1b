import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Hold, LockService } from 'nest-redis-lock';
import { SHOP_SETTINGS, type ShopSettings } from '../shop.settings.js';

/** The lock that a process keeps for as long as it lives: the watchdog renews it, and a crash ends it. */
export const presenceOf = (process: number): string => `process:${process}`;

/** Shows the other processes that this one lives, and which owners are its own. */
@Injectable()
export class PresenceService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private hold: Hold | undefined;

  constructor(
    private readonly locks: LockService,
    @Inject(SHOP_SETTINGS) private readonly settings: ShopSettings,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.hold = await this.locks.acquire(presenceOf(this.settings.processNumber), { wait: 0 });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.hold?.release();
  }
}
