import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { AppModule } from '../../sample/shop/app.module.js';
import { readSettings } from '../../sample/shop/shop.settings.js';

export interface OpenShop {
  readonly app: INestApplication;
  readonly url: string;
}

/** Opens one process of the shop inside this process, on a free port or that of `PORT`. */
export async function open(env: NodeJS.ProcessEnv): Promise<OpenShop> {
  const settings = readSettings(env);
  const module = await Test.createTestingModule({ imports: [AppModule.with(settings)] }).compile();
  const app = module.createNestApplication();
  await app.listen(env['PORT'] === undefined ? 0 : settings.port, '127.0.0.1');
  return { app, url: await app.getUrl() };
}
