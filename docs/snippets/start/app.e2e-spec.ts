// test/app.e2e-spec.ts
import { Test } from '@nestjs/testing';
import { LockTesting } from 'nest-redis-lock/testing';
import { AppModule } from './app.module.js';

it('pays an order under its lock', async () => {
  process.env['REDIS_URL'] ??= 'redis://is-not-used:6379'; // AppModule requires it
  const testing = new LockTesting();
  const builder = testing.override(Test.createTestingModule({ imports: [AppModule] }));
  const app = (await builder.compile()).createNestApplication();
  await app.listen(0);

  const response = await fetch(`${await app.getUrl()}/orders/42/pay`, { method: 'POST' });

  expect(response.status).toBe(201);
  expect(testing.lockedCalls()).toMatchObject([{ decorator: '@Locked', names: ['order:42'] }]);
  await testing.expectNoLeakedLocks();
  await app.close();
});
