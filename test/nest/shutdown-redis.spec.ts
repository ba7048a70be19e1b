import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { RedisServer } from '../servers/redis/redis-server.js';

/** Shorter than any timer or poll that could be left, and longer than an idle process takes to end. */
const MOST_MS = 3000;

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.stop());

describe('A process', () => {
  const run = promisify(execFile);
  const register = fileURLToPath(new URL('../servers/register.cjs', import.meta.url));
  const program = fileURLToPath(new URL('./fixtures/ends-by-itself.ts', import.meta.url));

  it.each([
    ['in memory', () => []],
    ['on Redis', () => [server.url]],
  ])('ends by itself when its application with locks %s has closed', async (_, args) => {
    const { stdout } = await run(process.execPath, [register, program, ...args()], { timeout: 60_000 });
    expect(stdout).toMatch(/^closed, ended \d+ ms later$/);
    // A remaining timer or socket would keep the process alive for longer.
    expect(Number(/\d+/.exec(stdout)?.[0])).toBeLessThan(MOST_MS);
  });
});
