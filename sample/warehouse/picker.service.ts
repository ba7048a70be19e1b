import { setTimeout } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { LockService } from 'nest-redis-lock';
import { Closing } from '../closing.js';
import { SHOP_SETTINGS, type ShopSettings } from '../shop.settings.js';
import { Picks, type PickTask } from './picks.js';

const PICKERS_PER_PROCESS = 2;
/** To the shelf and back. */
const PICKING_MS = 20;
const AFTER_TROUBLE_MS = 500;

/** Those who fetch, in every process. */
@Injectable()
export class PickerService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Warehouse');
  private pickers: readonly Promise<void>[] = [];

  constructor(
    private readonly locks: LockService,
    private readonly picks: Picks,
    private readonly closing: Closing,
    @Inject(SHOP_SETTINGS) private readonly settings: ShopSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.pickers = Array.from({ length: PICKERS_PER_PROCESS }, () => this.work());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.pickers);
  }

  private async work(): Promise<void> {
    while (!this.closing.signal.aborted) {
      try {
        const task = await this.picks.next();
        if (task !== undefined) await this.pick(task);
      } catch (error) {
        this.logger.warn(`A picker pauses: ${String(error)}`);
        await setTimeout(AFTER_TROUBLE_MS);
      }
    }
  }

  private async pick(task: PickTask): Promise<void> {
    await setTimeout(PICKING_MS);
    await this.picks.put({ ...task, pickedBy: this.settings.processNumber });
    await this.locks.getCountDownLatch(`picked:${task.orderId}`).countDown();
  }
}
