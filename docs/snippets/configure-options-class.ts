import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import type { RedisLockOptions, RedisLockOptionsFactory } from 'nest-redis-lock';

@Injectable()
export class LockConfig implements RedisLockOptionsFactory {
  constructor(private readonly config: ConfigService) {}

  createRedisLockOptions(): RedisLockOptions {
    return { connection: this.config.getOrThrow<string>('REDIS_URL'), keyPrefix: 'shop:lock:' };
  }
}
