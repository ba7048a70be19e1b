import { Injectable } from '@nestjs/common';
import { PaymentProvider } from './payment-provider.js';

/** Of the payment gateway; none where it is not limited. */
export interface Permits {
  readonly limit: number;
  readonly inUse: number;
}

/** Has orders paid, as many at once as there are. */
@Injectable()
export class PaymentService {
  constructor(private readonly provider: PaymentProvider) {}

  async charge(): Promise<void> {
    await this.provider.charge();
  }

  async permits(): Promise<Permits> {
    return { limit: 0, inUse: 0 };
  }
}
