import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { Locked, LockService } from 'nest-redis-lock';
import { ShopData } from '../data/shop-data.js';
import type { Order } from '../orders/order.js';
import { type PickedLine, Picks } from './picks.js';

/** The parcel for the buyer. */
export interface Parcel {
  readonly orderId: string;
  readonly lines: readonly PickedLine[];
}

/** Lets pickers fetch the lines of an order in parallel, and packs once the last line is there. */
@Injectable()
export class PackingService {
  constructor(
    private readonly locks: LockService,
    private readonly picks: Picks,
    private readonly data: ShopData,
  ) {}

  /**
   * Locked, so that concurrent requests for one parcel do not have the order picked twice.
   * @throws ServiceUnavailableException if the pickers take too long.
   */
  @Locked('parcel:<0.id>', { wait: '30s' })
  async pack(order: Order): Promise<Parcel> {
    const packed = await this.data.read('parcels', order.id);
    if (packed !== undefined) return JSON.parse(packed) as Parcel;

    const picked = this.locks.getCountDownLatch(`picked:${order.id}`);
    if (await picked.trySetCount(order.lines.length)) await this.picks.add(order);
    if (!(await picked.await({ wait: '20s' }))) throw new ServiceUnavailableException('The pickers are still busy');
    const parcel = { orderId: order.id, lines: await this.picks.of(order.id) };
    await this.data.write('parcels', order.id, JSON.stringify(parcel));
    return parcel;
  }
}
