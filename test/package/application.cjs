// A CommonJS application as a user of plain JavaScript writes it, run against an installed copy of the package.
require('reflect-metadata');
const assert = require('node:assert/strict');
const { setTimeout: sleep } = require('node:timers/promises');
const { Controller, Get, Inject, Module, NotFoundException, Param } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { Locked, LockService, RedisLockModule, SingleFlight } = require('nest-redis-lock');

/** Applies decorators to a method like the compiler: the one written last comes first. */
const decorate = (prototype, method, decorators) => {
  let descriptor = Object.getOwnPropertyDescriptor(prototype, method);
  for (const decorator of decorators.toReversed()) descriptor = decorator(prototype, method, descriptor) ?? descriptor;
  Object.defineProperty(prototype, method, descriptor);
};

let inside = 0;
let mostInside = 0;
let reports = 0;

class OrderService {
  async pay(id) {
    inside += 1;
    mostInside = Math.max(mostInside, inside);
    await sleep(5);
    inside -= 1;
    return id;
  }

  async report(month) {
    reports += 1;
    await sleep(200);
    throw new NotFoundException(`No report of ${month}`);
  }
}
decorate(OrderService.prototype, 'pay', [Locked('order:<0>')]);
decorate(OrderService.prototype, 'report', [SingleFlight('report:<0>')]);

class OrderController {
  pay(id) {
    return this.orders.pay(id);
  }
}
Inject(OrderService)(OrderController.prototype, 'orders');
Param('id')(OrderController.prototype, 'pay', 0);
decorate(OrderController.prototype, 'pay', [Get('pay/:id')]);
Controller()(OrderController);

class AppModule {}
Module({
  imports: [RedisLockModule.forRoot({ connection: process.env.REDIS_URL })],
  controllers: [OrderController],
  providers: [OrderService],
})(AppModule);

const main = async () => {
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const pay = async () => (await fetch(`${url}/pay/42`)).text();
  assert.deepEqual(new Set(await Promise.all(Array.from({ length: 20 }, pay))), new Set(['42']));
  assert.equal(mostInside, 1);

  const locks = app.get(LockService);
  const hold = await locks.acquire('stock', { lease: '5s' });
  assert.equal(await locks.tryAcquire('stock'), null);
  const waiting = locks.acquire('stock', { wait: '2s' });
  await sleep(50);
  assert.equal(await hold.release(), 'released');
  assert.equal(await (await waiting).release(), 'released');
  assert.equal(await locks.getLock('stock').isLocked(), false);

  const other = await NestFactory.createApplicationContext(AppModule, { logger: ['error', 'warn'] });
  const report = (of) => of.get(OrderService).report('may');
  const answers = await Promise.allSettled([report(app), report(other), report(other)]);
  assert.deepEqual(
    answers.map(({ reason }) => [reason instanceof NotFoundException, reason.message, reason.getStatus()]),
    Array(3).fill([true, 'No report of may', 404]),
  );
  assert.equal(reports, 1);
  await other.close();
  await app.close();
};

void main();
