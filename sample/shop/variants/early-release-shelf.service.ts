import { Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { ShelfService } from '../invoices/shelf.service.js';

/** The lock ends before the commit, so the next caller may read the old stock. */
@Injectable()
export class EarlyReleaseShelfService extends ShelfService {
  @Locked('shelf:<0>', { wait: '30s' })
  override async takeOne(sku: string): Promise<void> {
    await this.decrement(sku);
  }
}
