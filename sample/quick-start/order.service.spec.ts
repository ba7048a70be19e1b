import { Test } from '@nestjs/testing';
import { LockTestingModule } from 'nest-redis-lock/testing';
import { OrderService } from './order.service.js';

it('pays an order once, with locks in memory', async () => {
  const app = await Test.createTestingModule({
    imports: [LockTestingModule.forRoot()],
    providers: [OrderService],
  }).compile();
  await app.init();
  const orders = app.get(OrderService);
  await expect(Promise.all([orders.pay('7'), orders.pay('7')])).resolves.toEqual(['paid', 'already paid']);
  await app.close();
});
