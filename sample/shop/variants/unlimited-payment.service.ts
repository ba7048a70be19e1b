import { Injectable } from '@nestjs/common';
import { PaymentService } from '../payments/payment.service.js';

/** The payment service without a limit: any number of payments at once. */
@Injectable()
export class UnlimitedPaymentService extends PaymentService {
  override readonly limit = 0;

  override async charge(): Promise<void> {
    await this.provider.charge();
  }
}
