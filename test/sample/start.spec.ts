import { once } from 'node:events';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import type { Snapshot } from '../../sample/shop/dashboard/snapshot.js';
import type { Figures } from '../../sample/shop/flash-sale/figures.js';
import { until } from '../kit/until.js';
import { freePort } from '../servers/process/free-port.js';
import { PostgresServer } from '../servers/postgres/postgres-server.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { SampleRun } from './sample-run.js';

const TITLES = ['flash sale', 'First come', 'inventory report', 'payment gateway', 'warehouse', 'stock report'];

/** The cells of the row that begins with `first`, in the section with this number. */
function row(output: string, section: number, ...first: readonly string[]): readonly string[] {
  const [, text = ''] = output.split(`\n${section}. `);
  const rows =
    text
      .split(`\n${section + 1}. `)[0]
      ?.split('\n')
      .map((line) => line.trim().split(/\s{2,}/)) ?? [];
  return rows.find((cells) => first.every((cell, n) => cells[n] === cell)) ?? [];
}

async function expectSuccess(run: SampleRun): Promise<void> {
  const code = await run.code();
  const { stderr } = run;
  expect({ code, stderr }).toEqual({ code: 0, stderr });
}

/** Expects all sections in the output, without any fault that locks must prevent. */
function expectAllSections({ stdout }: SampleRun): void {
  TITLES.forEach((title, n) => expect(stdout).toMatch(new RegExp(`^${n + 1}\\. .*${title}`, 'm')));
  for (const locks of ['unfair', 'fair']) {
    const [, , , itemsSold, stockLeft, oversold] = row(stdout, 1, locks);
    expect({ locks, itemsSold, stockLeft, oversold }).toEqual({
      locks,
      itemsSold: '100',
      stockLeft: '0',
      oversold: '0',
    });
  }
  expect(row(stdout, 2, 'fair').slice(1, 3)).toEqual(['60', '0']);
  expect(row(stdout, 3, 'fair', 'one after the other')[3]).toBe('0');
  expect(row(stdout, 3, 'fair', 'the flash sale')[3]).toBe('0');
  expect(Number(row(stdout, 4, 'fair')[2])).toBeLessThanOrEqual(5);
  expect(row(stdout, 5, '12').slice(0, 3)).toEqual(['12', '12', '72']);
  expect(row(stdout, 6, 'fair')[3]).toBe('1');
}

async function schemasIn({ url }: PostgresServer): Promise<readonly string[]> {
  const database = await new DataSource({ type: 'postgres', url }).initialize();
  const found = await database.query<{ name: string }[]>(
    `SELECT nspname AS name FROM pg_namespace WHERE nspname !~ '^pg_|^information_schema$'`,
  );
  await database.destroy();
  return found.map(({ name }) => name);
}

describe('npm start -- --once', () => {
  it('prints all sections with a running Redis and PostgreSQL, and leaves nothing in them', async () => {
    await using server = await RedisServer.start();
    await using postgres = await PostgresServer.start();
    await using run = new SampleRun(['--once'], { REDIS_URL: server.url, DATABASE_URL: postgres.url });
    await expectSuccess(run);
    expectAllSections(run);
    const updatesLost = (lockedUntil: string): number => Number(row(run.stdout, 7, lockedUntil)[3]);
    expect(updatesLost('written')).toBeGreaterThan(0);
    expect(updatesLost('committed')).toBe(0);
    expect(await schemasIn(postgres)).toEqual(['public']);
    expect(run.stderr).toContain('Redis: the one of REDIS_URL.');
    expect(Number(row(run.stdout, 1, 'off')[5])).toBeGreaterThan(0);
    const client = new Redis(server.url);
    expect(await client.keys('*')).toEqual([]);
    client.disconnect();
    expect(await run.processes()).toEqual([]);
  });

  it('without a Redis prints the same for one process in memory, and says so', async () => {
    const path = await mkdtemp(join(tmpdir(), 'only-node-'));
    await symlink(process.execPath, join(path, 'node'));
    await using run = new SampleRun(['--once'], { PATH: path });
    await expectSuccess(run);
    expectAllSections(run);
    expect(run.stderr).toContain('one process on the in-memory backend');
    await rm(path, { recursive: true });
  });

  it('ends soon when it is interrupted, and leaves no process', async () => {
    await using run = new SampleRun(['--once']);
    await run.said('Locks off: orders answered');
    run.interrupt();
    expect(await run.code()).toBe(130);
    expect(await run.processes()).toEqual([]);
  });
});

describe('npm start', () => {
  let run: SampleRun;
  let url: string;

  beforeAll(async () => {
    const port = await freePort();
    run = new SampleRun([], { PORT: String(port) });
    await run.said('The shop is open');
    url = `http://127.0.0.1:${port}`;
  });

  afterAll(() => run[Symbol.asyncDispose]());

  it('starts a Redis, and serves the page after the sections', async () => {
    expect(run.stderr).toContain('started for this run');
    expectAllSections(run);
    const page = await fetch(url);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });

  it('kills a process for the page, starts it again, and sells in a second shop without locks', async () => {
    const post = async (path: string): Promise<readonly [number, Record<string, unknown>]> => {
      const response = await fetch(`${url}/${path}`, { method: 'POST' });
      return [response.status, (await response.json()) as Record<string, unknown>];
    };
    const [status, { killed }] = await post('processes/kill');
    expect([status, killed]).toEqual([200, expect.any(Number)]);
    expect(await post('processes/kill')).toEqual([
      409,
      expect.objectContaining({ message: expect.stringContaining('wait until it runs again') }),
    ]);
    const sales = await Promise.all([post('sales/without-locks'), post('sales/without-locks')]);
    expect(sales.map(([code]) => code).toSorted((one, other) => one - other)).toEqual([200, 409]);
    const [sale] = sales.flatMap(([code, body]) => (code === 200 ? [body] : []));
    expect(sale).toMatchObject({ figures: { oversold: expect.any(Number), failed: 0 } });
    // Another one can be killed once the first one runs again.
    await until(async () => (await post('processes/kill'))[0] === 200, 60_000, 'the killed process runs again');
  });

  it('D67: ends each sale although processes are killed meanwhile, and loses no permit', async () => {
    const headers = { 'content-type': 'application/json' };
    const post = (path: string, body = {}): Promise<Response> =>
      fetch(`${url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const state = async (): Promise<Snapshot> => (await (await fetch(`${url}/status`)).json()) as Snapshot;
    for (let kills = 0; kills < 3;) {
      const sale = post('sales', { buyers: 120, seconds: 3 });
      let seller: number | undefined;
      await until(
        async () => {
          const { gateway, sale: held } = await state();
          seller = held.holders[0]?.process;
          return seller !== undefined && gateway.inUse > 0;
        },
        60_000,
        'the sale is under way',
      );
      const response = await post('processes/kill');
      const answer = (await response.json()) as { killed?: number; message?: string };
      // A refusal is no failure: the sale is too young, or the process killed before is still away. The page counts it as
      // running until its lease ends, which a short sale does not outlast.
      const outcome = response.ok ? 'killed' : answer.message;
      expect(outcome).toMatch(/^killed$|wait until (its process is known|it runs again)/);
      expect(answer.killed).not.toBe(seller);
      kills += response.ok ? 1 : 0;
      const ended = await sale;
      expect(ended.status).toBe(201);
      expect((await ended.json()) as Figures).toMatchObject({ oversold: 0 });
      const isQuiet = async (): Promise<boolean> => {
        const { gateway, processes, sale: held } = await state();
        return gateway.inUse === 0 && held.holders.length === 0 && processes.every(({ leaseMs }) => leaseMs > 0);
      };
      await until(isQuiet, 60_000, 'no permit is in use, and all processes run');
    }
    expect((await state()).gateway.peak).toBeLessThanOrEqual(5);
  });

  it('ends when it is interrupted during a sale, and leaves no process', async () => {
    const sale = fetch(`${url}/sales`, { method: 'POST' });
    const { body } = await fetch(`${url}/live`);
    await body?.getReader().read();
    run.interrupt();
    expect(await run.code()).toBe(0);
    expect((await sale).status).toBe(503);
    expect(await run.processes()).toEqual([]);
  });
});

describe('npm start that cannot start', () => {
  const refused = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<readonly [unknown, string]> => {
    await using run = new SampleRun(args, env);
    const code = await run.code();
    expect(run.stdout).toBe('');
    return [code, run.stderr.trim()];
  };

  it.each([
    [['--twice'], {}, "Unknown option '--twice': the sample takes --once, or nothing."],
    [[], { PORT: '80x' }, 'PORT must be a whole number from 0 to 65535, not "80x".'],
    [[], { LOCKING: 'on' }, 'LOCKING must be "off", "unfair" or "fair", not "on".'],
    [[], { REDIS_URL: 'localhost:6379' }, 'REDIS_URL must be a redis:// or rediss:// URL.'],
  ])('refuses %j %j with code 2 and a message', async (args, env, message) => {
    expect(await refused(args, env)).toEqual([2, message]);
  });

  it('fails if its port is taken', async () => {
    const other: Server = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await refused([], { PORT: String(port) })).toEqual([1, `Port ${port} is taken; choose another with PORT.`]);
    other.close();
  });

  it('fails if its Redis does not answer', async () => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    expect(await refused(['--once'], { REDIS_URL: url })).toEqual([1, 'The Redis of REDIS_URL does not answer.']);
  });

  it('fails if its PostgreSQL does not answer', async () => {
    const url = `postgres://127.0.0.1:${await freePort()}/shop`;
    const [code, output] = await refused(['--once'], { DATABASE_URL: url });
    expect(code).toBe(1);
    expect(output).toContain('The PostgreSQL of DATABASE_URL does not answer: connect ECONNREFUSED');
  });
});
