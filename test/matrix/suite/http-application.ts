import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { quiet, rootOf, type ApplicationUnderTest, underTest } from './application.js';

/** An application that listens on a port. */
export interface HttpApplication extends ApplicationUnderTest<INestApplication> {
  /** Its URL, without a slash at the end. */
  readonly url: string;
}

/**
 * Calls `use` with an application that listens.
 * @param prepare Called before the application listens.
 */
export const withHttpApplication = async (
  adapter: AbstractHttpAdapter,
  metadata: ModuleMetadata,
  use: (application: HttpApplication) => Promise<void>,
  prepare: (app: INestApplication) => void | Promise<void> = () => {},
): Promise<void> => {
  // Clients may keep idle connections, which would delay the end.
  const app = await NestFactory.create(rootOf(metadata), adapter, { ...quiet, forceCloseConnections: true });
  try {
    await prepare(app);
    await app.listen(0, '127.0.0.1');
    await use({ ...underTest(app), url: await app.getUrl() });
  } finally {
    await app.close();
  }
};
