import { Injectable } from '@nestjs/common';
import { Locked, LockService } from 'nest-redis-lock';

/** A service as an application has it: one method locked by the decorator, one by the service. */
@Injectable()
export class OrdersService {
  readonly shipped: string[] = [];

  constructor(private readonly locks: LockService) {}

  @Locked('order:<0>', { wait: '3s' })
  async pay(id: string): Promise<string> {
    return `paid ${id}`;
  }

  @Locked('shipment:<0>', { wait: '1m' })
  async ship(id: string): Promise<void> {
    this.shipped.push(id);
  }

  /** Resolves with the error that ended the lock, if it was lost before the parcel was packed. */
  pack(id: string, packed: Promise<void>): Promise<unknown> {
    return this.locks.withLock(`parcel:${id}`, async ({ signal }) => {
      const aborted = new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));
      return Promise.race([packed, aborted]);
    });
  }
}
