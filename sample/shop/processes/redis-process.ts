import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from './free-port.js';
import { isReachable } from './redis-reachable.js';

const START_TIMEOUT_MS = 10_000;

/** A Redis or Valkey server on a free loopback port, without persistence; it ends with this process. */
export class RedisProcess implements AsyncDisposable {
  private readonly killAtExit = (): void => {
    this.server.kill('SIGKILL');
    this.removeFiles();
  };

  private constructor(
    private readonly server: ChildProcess,
    private readonly directory: string,
    readonly url: string,
  ) {
    process.on('exit', this.killAtExit);
  }

  static async start(executable: string): Promise<RedisProcess> {
    const port = await freePort();
    const directory = await mkdtemp(join(tmpdir(), 'shop-redis-'));
    const options = [
      '--bind',
      '127.0.0.1',
      '--port',
      String(port),
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      directory,
    ];
    // In a process group of its own: Ctrl-C must not end it before the shop has closed.
    const server = spawn(executable, options, { stdio: 'ignore', detached: true });
    server.on('error', () => undefined);
    const redis = new RedisProcess(server, directory, `redis://127.0.0.1:${port}`);
    if (await redis.isReady()) return redis;
    await redis[Symbol.asyncDispose]();
    throw new Error(`${executable} did not start; set REDIS_URL to use a Redis that runs already.`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isRunning) {
      const exit = once(this.server, 'exit');
      this.server.kill('SIGTERM');
      await exit;
    }
    process.off('exit', this.killAtExit);
    this.removeFiles();
  }

  private get isRunning(): boolean {
    return this.server.pid !== undefined && this.server.exitCode === null && this.server.signalCode === null;
  }

  private async isReady(): Promise<boolean> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (this.isRunning && Date.now() < deadline) {
      if (await isReachable(this.url)) return true;
      await setTimeout(20);
    }
    return false;
  }

  private removeFiles(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
