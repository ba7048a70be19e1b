import { Redis } from 'ioredis';
import type { CreateLocksOptions } from '../../../lib/standalone.js';
import { until } from '../../kit/until.js';
import { RedisServer } from '../../servers/redis/redis-server.js';
import { Worker } from '../../servers/worker/worker.js';
import type { api } from './standing.worker.js';

type Standing = Worker<typeof api>;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Processes whose event loop stands when it is told to, and a server for them. */
export class StandingProcesses {
  private readonly started: Standing[] = [];

  private constructor(
    private readonly server: RedisServer,
    readonly redis: Redis,
  ) {}

  /** For the tests of a `describe`. */
  static use(): () => StandingProcesses {
    let processes: StandingProcesses | undefined;
    const get = (): StandingProcesses => {
      if (!processes) throw new Error('The server runs only during tests');
      return processes;
    };
    beforeAll(async () => {
      const server = await RedisServer.start();
      processes = new StandingProcesses(server, new Redis(server.url));
    });
    afterEach(async () => {
      for (const process of get().started.splice(0)) process.kill('SIGKILL');
      await get().redis.flushall();
    });
    afterAll(async () => {
      get().redis.disconnect();
      await get().server.stop();
    });
    return get;
  }

  /** @param options Absent ones are those of a process that renews holds of 2 s in a worker. */
  async start(options: CreateLocksOptions = {}): Promise<Standing> {
    const { url: connection } = this.server;
    const args = [JSON.stringify({ connection, renewIn: 'worker', renewedLease: '2s', ...options })];
    const file = new URL('./standing.worker.ts', import.meta.url);
    const process = await Worker.start<typeof api>(file, { args });
    this.started.push(process);
    await process.call('listen');
    return process;
  }

  whenHeld(name: string): Promise<void> {
    return until(async () => (await this.redis.exists(name)) === 1);
  }

  /** Checks again and again for `ms` that nobody else can have the lock. */
  async expectHeld(name: string, ms: number): Promise<void> {
    const owner = await this.redis.hkeys(name);
    const end = performance.now() + ms;
    while (performance.now() < end) {
      expect(await this.redis.hkeys(name)).toEqual(owner);
      await pause(20);
    }
  }
}

/** The events of a type that a process has heard so far. */
export const eventsOf = async (process: Standing, type: string): Promise<readonly object[]> =>
  (await process.call('events')).filter((event) => event.type === type);
