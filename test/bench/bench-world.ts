import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { RedisServer } from '../servers/redis/redis-server.js';
import { connect } from './adapters/client.js';
import { ProcessPool } from './process-pool.js';

/** Duration and thoroughness of the measurements. */
export interface MeasurementSettings {
  readonly quick: boolean;
  /** Measured time of one scenario, library and round. */
  readonly ms: number;
  readonly warmUpMs: number;
}

/** One server, the processes that use it, and a connection that observes the server. */
export class BenchWorld {
  private files = 0;

  private constructor(
    readonly server: RedisServer,
    /** A connection that no library uses, for questions to the server. */
    readonly observer: Redis,
    readonly pool: ProcessPool,
    readonly settings: MeasurementSettings,
    private readonly folder: string,
  ) {}

  static async open(settings: MeasurementSettings): Promise<BenchWorld> {
    const server = await RedisServer.start();
    const observer = await connect(server);
    return new BenchWorld(server, observer, new ProcessPool(server), settings, mkdtempSync(join(tmpdir(), 'bench-')));
  }

  newFile(): string {
    return join(this.folder, `${++this.files}.timeline`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pool.stopAll();
    this.observer.disconnect();
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
