import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Redis } from 'ioredis';
import { RedisServer } from '../servers/redis/redis-server.js';
import { Worker } from '../servers/worker/worker.js';
import type { api } from './fixtures/terminated.worker.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';

let server: RedisServer;
let raw: Redis;

beforeAll(async () => {
  server = await RedisServer.start();
  raw = connectAdmin(server.url);
});

beforeEach(() => raw.flushall());

afterAll(async () => {
  raw.disconnect();
  await server.stop();
});

describe('A process', () => {
  const run = promisify(execFile);
  const register = fileURLToPath(new URL('../servers/register.cjs', import.meta.url));
  const program = fileURLToPath(new URL('./fixtures/ends-by-itself.ts', import.meta.url));

  it.each([
    ['in memory', () => []],
    ['on Redis', () => [server.url]],
  ])('ends by itself when its application with locks %s has closed', async (_, args) => {
    // A remaining timer or socket would keep the process alive, and then `timeout` ends it with an error.
    const { stdout } = await run(process.execPath, [register, program, ...args()], { timeout: 12_000 });
    expect(stdout).toBe('closed');
  });

  it('that is terminated finishes work in time, and leaves the rest to its lease', async () => {
    const worker = await Worker.start<typeof api>(new URL('./fixtures/terminated.worker.ts', import.meta.url));
    await worker.call('start', server.url);
    await expect(raw.keys('*').then((keys) => keys.toSorted())).resolves.toEqual(['finishes', 'never finishes']);
    worker.kill('SIGTERM');
    await expect(worker.exited).resolves.toEqual({ code: null, signal: 'SIGTERM' });
    await expect(raw.keys('*')).resolves.toEqual(['never finishes']);
    await expect(raw.pttl('never finishes')).resolves.toBeGreaterThan(0);
  });
});
