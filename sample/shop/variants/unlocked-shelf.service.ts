import { Injectable } from '@nestjs/common';
import { ShelfService } from '../invoices/shelf.service.js';

/** The shelf without a lock. */
@Injectable()
export class UnlockedShelfService extends ShelfService {
  override async takeOne(sku: string): Promise<void> {
    await this.decrement(sku);
  }
}
