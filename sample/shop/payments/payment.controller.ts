import { Controller, Get } from '@nestjs/common';
import { PaymentProvider, type ProviderLog } from './payment-provider.js';

@Controller('payments')
export class PaymentController {
  constructor(private readonly provider: PaymentProvider) {}

  @Get()
  async log(): Promise<ProviderLog> {
    return this.provider.log();
  }
}
