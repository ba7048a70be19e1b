import { existsSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { until } from '../kit/until.js';
import { isAlive } from '../servers/process/is-alive.js';
import { PostgresServer } from '../servers/postgres/postgres-server.js';
import { Worker } from '../servers/worker/worker.js';
import type { api } from './postgres-server.worker.js';

describe('PostgresServer', () => {
  it('answers, and leaves neither a process nor a folder behind when stopped, though a client is in a transaction', async () => {
    const server = await PostgresServer.start();
    const { pid, folder } = server;
    const database = await new DataSource({ type: 'postgres', url: server.url }).initialize();
    const runner = database.createQueryRunner();
    await runner.startTransaction();
    await expect(runner.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(folder)).toBe(false);
    await server.stop();
    await database.destroy();
  });

  it('ends with the process that started it, however that ends', async () => {
    const worker = await Worker.start<typeof api>(new URL('./postgres-server.worker.ts', import.meta.url));
    const { pid, folder } = await worker.call('start');
    expect(isAlive(pid)).toBe(true);
    worker.kill('SIGKILL');
    await until(() => !isAlive(pid) && !existsSync(folder));
  });
});
