import type { ModuleMetadata } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { RedisServer } from '../servers/redis/redis-server.js';
import { start } from './applications.js';

/** A backend for tests of the owner model, which must not depend on where locks are stored. */
export interface ApplicationBackend {
  open(): Promise<void>;
  /** Opens another application. All applications on one backend share the locks, if the backend can. */
  application(metadata?: ModuleMetadata): Promise<TestingModule>;
  close(): Promise<void>;
}

const memory = (): ApplicationBackend => ({
  open: async () => {},
  application: (metadata = {}) => start(metadata, { connection: 'memory' }),
  close: async () => {},
});

const redis = (): ApplicationBackend => {
  let server: RedisServer;
  return {
    open: async () => {
      server = await RedisServer.start();
    },
    application: (metadata = {}) => start(metadata, { connection: server.url }),
    close: () => server.stop(),
  };
};

export const applicationBackends: readonly (readonly [name: string, backend: () => ApplicationBackend])[] = [
  ['in memory', memory],
  ['on Redis', redis],
];
