import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { RedisServer } from '../test/servers/redis/redis-server.js';
import { connect } from './adapters/client.js';
import { ProcessPool } from './process-pool.js';
import { pin } from './set-up/pinning.js';
import { CLIENT_CORE, type Launch, SERVER_CORE, type SetUp } from './set-up/set-up.js';

/** Duration and thoroughness of the measurements. */
export interface MeasurementSettings {
  readonly quick: boolean;
  /** Measured time of one scenario, library and round. */
  readonly ms: number;
  readonly warmUpMs: number;
  /** Whether peers are measured in scenarios, too, that measure each library for long. */
  readonly allPeers: boolean;
}

/** The part of the time that a brief measurement takes. */
const BRIEF = 3;

/** One server, the processes that use it, and a connection that observes the server. */
export class BenchWorld {
  readonly pool: ProcessPool;
  private files = 0;
  private isBrief = false;

  private constructor(
    readonly server: RedisServer,
    /** A connection that no library uses, for questions to the server. */
    readonly observer: Redis,
    /** Where processes run, also those that are not of the pool. */
    readonly launch: Launch,
    private readonly fullSettings: MeasurementSettings,
    private readonly folder: string,
  ) {
    this.pool = new ProcessPool(server, launch);
  }

  static async open(settings: MeasurementSettings, setUp: SetUp): Promise<BenchWorld> {
    const server = await RedisServer.start();
    const isPinned = setUp.placement === 'pinned';
    if (isPinned) pin(server.pid, SERVER_CORE);
    const launch = { node: setUp.node.path, ...(isPinned ? { core: CLIENT_CORE } : {}) };
    const observer = await connect(server);
    return new BenchWorld(server, observer, launch, settings, mkdtempSync(join(tmpdir(), 'bench-')));
  }

  get settings(): MeasurementSettings {
    if (!this.isBrief) return this.fullSettings;
    return { ...this.fullSettings, ms: this.fullSettings.ms / BRIEF };
  }

  /** Executes work that measures each library for a part of the time. */
  async inBrief(work: () => Promise<void>): Promise<void> {
    this.isBrief = true;
    try {
      await work();
    } finally {
      this.isBrief = false;
    }
  }

  newFile(): string {
    return join(this.folder, `${++this.files}.timeline`);
  }

  /** Executes work while the server is on the core of the clients. */
  async onOneCore<Result>(work: () => Promise<Result>): Promise<Result> {
    pin(this.server.pid, CLIENT_CORE);
    try {
      return await work();
    } finally {
      pin(this.server.pid, SERVER_CORE);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pool.stopAll();
    this.observer.disconnect();
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
