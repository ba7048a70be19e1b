import { Injectable } from '@nestjs/common';
import { PaymentService, type Permits } from '../payments/payment.service.js';

/** The payment service without permits: any number of payments at once. */
@Injectable()
export class UnlimitedPaymentService extends PaymentService {
  override async charge(): Promise<void> {
    await this.provider.charge();
  }

  override async permits(): Promise<Permits> {
    return { limit: 0, inUse: 0 };
  }
}
