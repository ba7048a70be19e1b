import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Get, Header, Injectable, Module, Param, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Locked, LockService, RedisLockModule } from 'nest-redis-lock';
import { LockDashboardModule } from 'nest-redis-lock/dashboard';
import { IdempotentHandler } from 'nest-redis-lock/idempotency';

/** Change the locks here, and press the buttons again. */
@Injectable()
class Orders {
  private readonly paid = new Set<string>();

  constructor(private readonly locks: LockService) {}

  /** One at a time for each order. */
  @Locked('order:<0>')
  async pay(id: string): Promise<string> {
    if (this.paid.has(id)) return `order ${id} was paid already`;
    await sleep(1000);
    this.paid.add(id);
    return `order ${id} is paid`;
  }

  /** Two at a time, in the order of arrival. */
  @Locked('export', { limit: 2, fair: true })
  async export(id: string): Promise<string> {
    await sleep(2000);
    return `export ${id} is done`;
  }

  /** Only the newest of a user counts. */
  @Locked('search:<0>', { onConflict: 'replace' })
  async search(user: string, text: string): Promise<string> {
    await sleep(2000, undefined, { signal: this.locks.currentHold()?.signal });
    return `${user} has found ${text}`;
  }
}

@Controller()
class PlaygroundController {
  constructor(private readonly orders: Orders) {}

  @Get()
  @Header('content-type', 'text/html')
  page(): Promise<string> {
    return readFile('page.html', 'utf8');
  }

  @Post('orders/:id/pay')
  pay(@Param('id') id: string): Promise<string> {
    return this.orders.pay(id);
  }

  @Post('exports/:id')
  export(@Param('id') id: string): Promise<string> {
    return this.orders.export(id);
  }

  @Post('searches/:user/:text')
  search(@Param('user') user: string, @Param('text') text: string): Promise<string> {
    return this.orders.search(user, text);
  }

  /** Runs once for each key, and then repeats its answer. */
  @Post('refunds')
  @IdempotentHandler('refund:<headers.idempotency-key>')
  async refund(): Promise<string> {
    await sleep(500);
    return `refunded at ${new Date().toISOString()}`;
  }
}

@Module({
  imports: [
    // In memory: the locks of this process. For Redis, write its address: 'redis://localhost:6379'.
    RedisLockModule.forRoot({ connection: 'memory', holderRecords: true }),
    LockDashboardModule.forRoot({ allowAnonymous: true }),
  ],
  controllers: [PlaygroundController],
  providers: [Orders],
})
class PlaygroundModule {}

const app = await NestFactory.create(PlaygroundModule);
app.enableShutdownHooks();
await app.listen(process.env['PORT'] ?? 3000);
console.log(`The playground is at ${await app.getUrl()}`);
