import { setTimeout } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { LockService } from 'nest-redis-lock';
import { ShutdownSignal } from '../shutdown-signal.js';
import { SHOP_SETTINGS, type ShopSettings } from '../shop.settings.js';
import { Picks, type PickTask } from './picks.js';

const PICKERS_PER_PROCESS = 2;
/** The time to fetch one line. */
const PICKING_MS = 20;
const RETRY_AFTER_MS = 500;

/** The pickers of this process. */
@Injectable()
export class PickerService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Warehouse');
  private pickers: readonly Promise<void>[] = [];

  constructor(
    private readonly locks: LockService,
    private readonly picks: Picks,
    private readonly shutdown: ShutdownSignal,
    @Inject(SHOP_SETTINGS) private readonly settings: ShopSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.pickers = Array.from({ length: PICKERS_PER_PROCESS }, () => this.work());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.pickers);
  }

  private async work(): Promise<void> {
    while (!this.shutdown.signal.aborted) {
      try {
        const task = await this.picks.next();
        if (task !== undefined) await this.pick(task);
      } catch (error) {
        this.logger.warn(`A picker failed and tries again soon: ${String(error)}`);
        await setTimeout(RETRY_AFTER_MS);
      }
    }
  }

  private async pick(task: PickTask): Promise<void> {
    await setTimeout(PICKING_MS);
    await this.picks.put({ ...task, pickedBy: this.settings.processNumber });
    await this.locks.getCountDownLatch(`picked:${task.orderId}`).countDown();
  }
}
