import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import type { RedisLockOptions } from 'nest-redis-lock';
import type { RedisLockOptionsFactory } from 'nest-redis-lock/advanced';

@Injectable()
export class LockConfig implements RedisLockOptionsFactory {
  constructor(private readonly config: ConfigService) {}

  createRedisLockOptions(): RedisLockOptions {
    return { connection: this.config.getOrThrow<string>('REDIS_URL'), keyPrefix: 'shop:lock:' };
  }
}
