import 'reflect-metadata';
import {
  BadRequestException,
  Body,
  Controller,
  Headers,
  Inject,
  Injectable,
  Module,
  Post,
  ServiceUnavailableException,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Redis } from 'ioredis';
import { RedisLockModule } from 'nest-redis-lock';
import { IdempotentHandler } from 'nest-redis-lock/idempotency';
import { Gate } from '../kit/gate.js';
import { serve } from '../servers/worker/worker-host.js';

const [, , url = '', renewedLease = '', adapterName = ''] = process.argv;

/** What a charge of this amount does in place of a success. */
const REFUSED = 400;
const OUT_OF_ORDER = 500;
/** A charge of this amount is made, and then the process goes on when the test says so. */
const SLOW = 1;

const slow = new Gate();

/** A provider that keeps its charges in Redis, one for each key, and counts the calls. */
@Injectable()
class Payments {
  constructor(@Inject(Redis) private readonly redis: Redis) {}

  async charge(key: string, amount: number): Promise<{ id: string; amount: number }> {
    await this.redis.incr('calls');
    if (amount === REFUSED) throw new BadRequestException('No such card');
    if (amount === OUT_OF_ORDER) throw new ServiceUnavailableException('Try again later');
    const charge = JSON.stringify({ id: `charge-${process.pid}`, amount });
    await this.redis.hsetnx('charges', key, charge);
    if (amount === SLOW) await slow.pass();
    return JSON.parse((await this.redis.hget('charges', key)) ?? '') as { id: string; amount: number };
  }
}

@Controller('payments')
class PaymentsController {
  constructor(private readonly payments: Payments) {}

  @Post()
  @IdempotentHandler('pay:<headers.idempotency-key>')
  pay(@Headers('idempotency-key') key: string, @Body() { amount }: { amount: number }) {
    return this.payments.charge(key, amount);
  }
}

@Module({
  imports: [RedisLockModule.forRoot({ connection: url, probe: false, renewedLease: Number(renewedLease) })],
  controllers: [PaymentsController],
  providers: [Payments, { provide: Redis, useFactory: () => new Redis(url) }],
})
class PaymentsModule {}

const adapter = adapterName === 'Fastify' ? new FastifyAdapter() : new ExpressAdapter();
const listening = NestFactory.create(PaymentsModule, adapter, { logger: false }).then(async (app) => {
  await app.listen(0, '127.0.0.1');
  return app.getUrl();
});

/** One process of the application. */
export const api = {
  url: (): Promise<string> => listening,
  /** Lets the slow charge go on. */
  goOn: async (): Promise<void> => slow.open(),
};

serve(api);
