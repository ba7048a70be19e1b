import { randomUUID } from 'node:crypto';
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

/** After this time beyond that of a payment, one that has not ended is no longer counted: its process was killed. */
const UNREPORTED_MS = 5000;

/** Stands in for a payment provider: a charge takes some time, and concurrent charges are counted. */
@Injectable()
export class PaymentProvider {
  constructor(
    private readonly data: ShopData,
    @Inject(SHOP_SETTINGS) private readonly settings: ShopSettings,
  ) {}

  async charge(): Promise<void> {
    const id = randomUUID();
    await this.data.write('payments-under-way', id, Date.now() + this.settings.paymentMs + UNREPORTED_MS);
    try {
      await this.data.add('payments-at-once', String(await this.underWay()), 1);
      await setTimeout(this.settings.paymentMs);
    } finally {
      await this.data.remove('payments-under-way', id);
    }
  }

  private async underWay(): Promise<number> {
    const ends = [...(await this.data.readAll('payments-under-way')).values()];
    return ends.filter((end) => Number(end) > Date.now()).length;
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
