import type { IncomingMessage, ServerResponse } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { PROCESS_HEADER, type StartFailure } from './processes/process-protocol.js';
import { readSettings, type ShopSettings } from './shop.settings.js';

/** One process of the shop; `main.ts` starts several. */
async function openShop(settings: ShopSettings): Promise<void> {
  const app = await NestFactory.create(AppModule.with(settings), {
    logger: ['warn', 'error', 'fatal'],
    abortOnError: false,
  });
  app.use((_request: IncomingMessage, response: ServerResponse, next: () => void) => {
    response.setHeader(PROCESS_HEADER, settings.processNumber);
    next();
  });
  app.enableShutdownHooks();
  await app.listen(settings.port, '127.0.0.1');
}

try {
  await openShop(readSettings(process.env));
} catch (error) {
  const failure: StartFailure = { failure: error instanceof Error ? error.message : String(error) };
  if (process.send) process.send(failure, () => process.exit(1));
  else {
    console.error(failure.failure);
    process.exit(1);
  }
}
