// Runs by node:test what `nest build` has made of the application.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Test } from '@nestjs/testing';
import { LockTesting } from 'nest-redis-lock/testing';
import { AppModule } from './dist/app.module.js';
import { OrdersService } from './dist/orders.service.js';

void test('The built application waits for the end of a lease of 30 seconds, in a fraction of them', async () => {
  const testing = new LockTesting();
  const app = await testing.override(Test.createTestingModule({ imports: [AppModule] })).compile();
  await app.init();
  const orders = app.get(OrdersService);
  const began = performance.now();
  await testing.holdElsewhere('shipment:42', { lease: '30s' });
  const shipping = orders.ship('42');
  await testing.advance('29s');
  assert.deepEqual(orders.shipped, []);
  await testing.advance('2s');
  await shipping;
  assert.deepEqual(orders.shipped, ['42']);
  assert.ok(performance.now() - began < 3000);
  await testing.expectNoLeakedLocks();
  await app.close();
});
