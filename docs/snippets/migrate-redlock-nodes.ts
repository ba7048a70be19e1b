import { Injectable, Module } from '@nestjs/common';
import { Locked, RedisLockModule } from 'nest-redis-lock';

@Injectable()
export class Orders {
  @Locked('order:<0>', { kind: 'redLock', wait: '2s' })
  async ship(_orderId: string): Promise<void> {}
}

@Module({
  imports: [
    RedisLockModule.forRoot({
      keyPrefix: 'lock:',
      redLock: { nodes: ['redis://a:6379', 'redis://b:6379', 'redis://c:6379'], nodeTimeout: '200ms' },
    }),
  ],
  providers: [Orders],
})
export class AppModule {}
