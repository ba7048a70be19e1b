import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { PROCESS_HEADER, type StartFailure } from './processes/process-protocol.js';
import { readSettings, type ShopSettings } from './shop.settings.js';

/** Buyers connect before the sale begins and wait for the last one. */
const KEEP_ALIVE_MS = 60_000;

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
  const server: Server = await app.listen(settings.port, '127.0.0.1');
  server.keepAliveTimeout = KEEP_ALIVE_MS;
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
