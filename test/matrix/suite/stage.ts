import type { INestApplicationContext, ModuleMetadata, Type } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockService, RedisLockModule } from 'nest-redis-lock';
import { Room } from './room.js';

/** An application to be tried, with what the checks look at. */
export interface Stage<App extends INestApplicationContext = INestApplicationContext> {
  readonly app: App;
  readonly room: Room;
  readonly locks: LockService;
}

/** The redis-server that the runner started for this process. */
export const serverUrl = (): string => {
  const url = process.env['REDIS_URL'];
  if (url === undefined) throw new Error('The runner gives this process no redis-server');
  return url;
};

/** Where the locks of this process live. */
export const backend = (): 'memory' | 'redis' => (process.env['MATRIX_BACKEND'] === 'redis' ? 'redis' : 'memory');

const lockModule = () =>
  backend() === 'redis'
    ? RedisLockModule.forRoot({ connection: serverUrl() })
    : RedisLockModule.forRoot({ backend: 'memory' });

/** The root module of an application: locks, the room, and what is to be tried. */
export const rootOf = ({ imports = [], providers = [], controllers = [] }: ModuleMetadata): Type => {
  @Module({ providers: [Room], exports: [Room] })
  class RoomModule {}

  @Module({
    imports: [lockModule(), { module: RoomModule, global: true }, ...imports],
    providers,
    controllers,
  })
  class Root {}
  return Root;
};

export const stageOf = <App extends INestApplicationContext>(app: App): Stage<App> => ({
  app,
  room: app.get(Room, { strict: false }),
  locks: app.get(LockService, { strict: false }),
});

/** What an application under test says is said by the checks; its own log is for finding out why. */
export const quiet = { logger: ['fatal' as const], abortOnError: false };

/** An application without anything that listens. */
export const withContext = async (metadata: ModuleMetadata, use: (stage: Stage) => Promise<void>): Promise<void> => {
  const app = await NestFactory.createApplicationContext(rootOf(metadata), quiet);
  try {
    await use(stageOf(app));
  } finally {
    await app.close();
  }
};
