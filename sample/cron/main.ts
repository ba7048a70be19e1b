import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

const start = async (): Promise<void> => {
  const app = await NestFactory.createApplicationContext(AppModule);
  app.enableShutdownHooks();
};

void start();
