// An ES module that imports the package before Nest, run against an installed copy of the package. Nest 12 is an ES
// module, too: nothing may require it before it has been loaded.
import 'reflect-metadata';
import { LockService, RedisLockModule } from 'nest-redis-lock';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import assert from 'node:assert/strict';

class AppModule {}
Module({ imports: [RedisLockModule.forRoot({ connection: process.env.REDIS_URL })] })(AppModule);

const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error'] });
assert.equal(await app.get(LockService).withLock('stock', () => 7), 7);
await app.close();
