import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { Locked, LockService } from 'nest-redis-lock';
import { ShopData } from '../data/shop-data.js';
import type { Order } from '../orders/order.js';
import { type PickedLine, Picks } from './picks.js';

/** What goes to the buyer. */
export interface Parcel {
  readonly orderId: string;
  readonly lines: readonly PickedLine[];
}

/** Has the lines of an order picked side by side, and packs when the last one has come. */
@Injectable()
export class PackingService {
  constructor(
    private readonly locks: LockService,
    private readonly picks: Picks,
    private readonly data: ShopData,
  ) {}

  /**
   * Locked, so that no order is picked twice, however often somebody asks for its parcel.
   * @throws ServiceUnavailableException when the pickers take too long.
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
