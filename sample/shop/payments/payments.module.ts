import { type DynamicModule, Module } from '@nestjs/common';
import type { ShopSettings } from '../shop.settings.js';
import { UnlimitedPaymentService } from '../variants/unlimited-payment.service.js';
import { PaymentController } from './payment.controller.js';
import { PaymentProvider } from './payment-provider.js';
import { PaymentService } from './payment.service.js';

@Module({})
export class PaymentsModule {
  static with({ locking }: ShopSettings): DynamicModule {
    return {
      module: PaymentsModule,
      controllers: [PaymentController],
      providers: [
        PaymentProvider,
        { provide: PaymentService, useClass: locking === 'off' ? UnlimitedPaymentService : PaymentService },
      ],
      exports: [PaymentService, PaymentProvider],
    };
  }
}
