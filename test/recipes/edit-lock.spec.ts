import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { DocumentEditorController } from '../../docs/recipes/edit-lock/document-editor.controller.js';
import { LockService, RedisLockModule } from '../../lib/index.js';
import { RedisServer } from '../servers/redis/redis-server.js';

describe('A document that one person edits', () => {
  let server: RedisServer;
  let apps: readonly [INestApplication, INestApplication];

  const start = async (): Promise<INestApplication> => {
    const module = await Test.createTestingModule({
      imports: [RedisLockModule.forRoot({ connection: server.url, keyPrefix: '' })],
      controllers: [DocumentEditorController],
    }).compile();
    return module.createNestApplication({ logger: false }).init();
  };

  beforeAll(async () => {
    server = await RedisServer.start();
    apps = [await start(), await start()];
  });

  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()));
    await server.stop();
  });

  const ask = async (app: INestApplication, method: 'put' | 'post' | 'delete', path: string, user: string) => {
    const asked = request(app.getHttpServer())[method](`/documents/7/editor${path}`);
    const { status, body } = await asked.send({ user });
    return { status, body: body as { readonly fence?: string; readonly editor?: string } };
  };

  it('is opened in two tabs, kept by heartbeats on any server, and closed by either', async () => {
    const [one, other] = apps;
    const first = await ask(one, 'put', '', 'anna');
    expect(first).toEqual({ status: 200, body: { fence: expect.stringMatching(/^\d+$/) } });
    await expect(ask(other, 'put', '', 'anna')).resolves.toEqual(first);
    await expect(ask(other, 'put', '', 'bob')).resolves.toEqual({ status: 409, body: { editor: 'anna' } });
    await expect(ask(other, 'post', '/heartbeats', 'anna')).resolves.toMatchObject({ status: 204 });
    await expect(ask(one, 'post', '/heartbeats', 'anna')).resolves.toMatchObject({ status: 204 });
    await expect(ask(one, 'post', '/heartbeats', 'bob')).resolves.toEqual({ status: 410, body: { editor: 'anna' } });
    for (const app of apps) await expect(ask(app, 'delete', '', 'anna')).resolves.toMatchObject({ status: 204 });
    await expect(ask(one, 'post', '/heartbeats', 'anna')).resolves.toEqual({ status: 410, body: {} });
  });

  it('is taken over with a higher token, and given up by whom it was taken from', async () => {
    const [one, other] = apps;
    const { body: before } = await ask(one, 'put', '', 'anna');
    const { status, body } = await ask(other, 'post', '/take-over', 'bob');
    expect(status).toBe(201);
    expect(BigInt(body.fence ?? 0)).toBeGreaterThan(BigInt(before.fence ?? 0));
    await expect(ask(one, 'post', '/heartbeats', 'anna')).resolves.toEqual({ status: 410, body: { editor: 'bob' } });
    await ask(one, 'delete', '', 'anna');
    await expect(ask(one, 'post', '/heartbeats', 'bob')).resolves.toMatchObject({ status: 204 });
    await ask(one, 'delete', '', 'bob');
  });

  it('is kept when the application that opened it has closed', async () => {
    const app = await start();
    await ask(app, 'put', '', 'anna');
    await app.close();
    const kept = { name: 'document:7', owner: 'anna' };
    await expect(apps[0].get(LockService).release(kept)).resolves.toBe(true);
  });
});
