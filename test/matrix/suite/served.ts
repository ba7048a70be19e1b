import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { quiet, rootOf, type Stage, stageOf } from './stage.js';

/** An application that listens. */
export interface Served extends Stage<INestApplication> {
  /** Where, without a slash at the end. */
  readonly url: string;
}

/** @param prepare What an application does before it listens. */
export const withServed = async (
  adapter: AbstractHttpAdapter,
  metadata: ModuleMetadata,
  use: (served: Served) => Promise<void>,
  prepare: (app: INestApplication) => void | Promise<void> = () => {},
): Promise<void> => {
  // Clients may keep connections in stock.
  const app = await NestFactory.create(rootOf(metadata), adapter, { ...quiet, forceCloseConnections: true });
  try {
    await prepare(app);
    await app.listen(0, '127.0.0.1');
    await use({ ...stageOf(app), url: await app.getUrl() });
  } finally {
    await app.close();
  }
};
