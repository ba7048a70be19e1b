import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { RedisLockModule } from 'nest-redis-lock';

@Module({
  imports: [
    RedisLockModule.forRootAsync({
      useFactory: () => ({
        connection: process.env['REDIS_URL'] ?? 'redis://redis:6379',
        keyPrefix: 'lock:',
        shutdownTimeout: '15s',
        holderRecords: true, // `show` then names the pod
      }),
    }),
  ],
})
class AppModule {}

const app = await NestFactory.create(AppModule);
app.enableShutdownHooks(); // without it SIGTERM ends the process at once, and locks stay until their leases end
await app.listen(3000);
