import { Body, Controller, Headers, Inject, Param, Put } from '@nestjs/common';
import { Redis } from 'ioredis';
import { checkFence, RedisFenceStore, type RequestHeaders } from 'nest-redis-lock/fencing';

@Controller('reports')
export class ReportsController {
  private readonly fences: RedisFenceStore;

  constructor(@Inject(Redis) private readonly redis: Redis) {
    this.fences = new RedisFenceStore(redis, { keepFence: '24h' });
  }

  // The client sends fenceHeader(hold.fence).
  @Put(':month')
  async put(@Param('month') month: string, @Body() report: object, @Headers() headers: RequestHeaders): Promise<void> {
    await checkFence(headers, `report ${month}`, this.fences); // 412 for a stale writer, 400 without a token
    await this.redis.set(`report:${month}`, JSON.stringify(report));
  }
}
