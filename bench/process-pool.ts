import type { OpenOptions } from './adapters/adapter.js';
import { libraryNamed } from './libraries.js';
import type { Launch } from './set-up/set-up.js';
import type { Participant } from './workers/participant.js';
import type { RedisServer } from '../test/servers/redis/redis-server.js';

/** A library, and the options that it is opened with. */
export interface ProcessKind extends OpenOptions {
  readonly adapter: string;
}

/**
 * The processes of a run. They are started when first needed and stay idle between measurements. So they are
 * warm, and starts do not take most of the run.
 */
export class ProcessPool {
  private readonly processes = new Map<string, Participant[]>();

  constructor(
    private readonly server: RedisServer,
    private readonly launch: Launch,
  ) {}

  /** Returns `count` processes of a kind, always the same ones. Starts those that are missing. */
  async get({ adapter, ...options }: ProcessKind, count: number): Promise<readonly Participant[]> {
    const kind = JSON.stringify({ adapter, ...options });
    const processes = this.processes.get(kind) ?? [];
    this.processes.set(kind, processes);
    const missing = Math.max(0, count - processes.length);
    processes.push(...(await Promise.all(Array.from({ length: missing }, () => this.start(adapter, options)))));
    return processes.slice(0, count);
  }

  /** Ends the processes of an adapter, so that the next measurement begins with new ones. */
  async stop(adapter: string): Promise<void> {
    for (const [kind, processes] of this.processes) {
      if ((JSON.parse(kind) as ProcessKind).adapter !== adapter) continue;
      this.processes.delete(kind);
      await Promise.all(processes.map((process) => process.stop()));
    }
  }

  /** Ends all processes, because idle ones may send commands: those of Redisson send a PING now and then. */
  async stopAll(): Promise<void> {
    const all = [...this.processes.values()].flat();
    this.processes.clear();
    await Promise.all(all.map((process) => process.stop()));
  }

  private start(adapter: string, options: OpenOptions): Promise<Participant> {
    const { host, port } = this.server;
    return libraryNamed(adapter).start({ host, port }, options, this.launch);
  }
}
