import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { RedisServer } from '../servers/redis/redis-server.js';
import { connect } from './adapters/client.js';
import { Cast } from './cast.js';

/** How long and how thorough. */
export interface Effort {
  readonly quick: boolean;
  /** Of measuring, for one scenario and library and round. */
  readonly ms: number;
  readonly warmUpMs: number;
}

/** Where everything happens: one server, its processes, and a look at both from outside. */
export class Stage {
  private files = 0;

  private constructor(
    readonly server: RedisServer,
    /** Neither library's: for questions to the server. */
    readonly observer: Redis,
    readonly cast: Cast,
    readonly effort: Effort,
    private readonly folder: string,
  ) {}

  static async open(effort: Effort): Promise<Stage> {
    const server = await RedisServer.start();
    const observer = await connect(server);
    return new Stage(server, observer, new Cast(server), effort, mkdtempSync(join(tmpdir(), 'bench-')));
  }

  newFile(): string {
    return join(this.folder, `${++this.files}.timeline`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cast.dismissAll();
    this.observer.disconnect();
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
