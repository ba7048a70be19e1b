import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ShopData } from '../data/shop-data.js';
import { SHOP_SETTINGS, type ShopSettings } from '../shop.settings.js';

/** The payments of the whole shop, as the provider counted them. */
export interface ProviderLog {
  readonly payments: number;
  /** The largest number of concurrent payments. */
  readonly peak: number;
}

/** Stands in for a payment provider: a charge takes some time, and concurrent charges are counted. */
@Injectable()
export class PaymentProvider {
  constructor(
    private readonly data: ShopData,
    @Inject(SHOP_SETTINGS) private readonly settings: ShopSettings,
  ) {}

  async charge(): Promise<void> {
    const underWay = await this.data.add('payments', 'under-way', 1);
    try {
      await this.data.add('payments-at-once', String(underWay), 1);
      await setTimeout(this.settings.paymentMs);
    } finally {
      await this.data.add('payments', 'under-way', -1);
    }
  }

  async log(): Promise<ProviderLog> {
    const began = [...(await this.data.readAll('payments-at-once'))].map(
      ([atOnce, times]) => [+atOnce, +times] as const,
    );
    return {
      payments: began.reduce((total, [, times]) => total + times, 0),
      peak: Math.max(0, ...began.map(([atOnce]) => atOnce)),
    };
  }
}
