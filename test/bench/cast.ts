import type { Opening } from './adapters/adapter.js';
import { libraryNamed } from './libraries.js';
import type { Participant } from './workers/participant.js';
import type { RedisServer } from '../servers/redis/redis-server.js';

/** Which library, opened how. */
export interface Role extends Opening {
  readonly adapter: string;
}

/**
 * The processes of a run. They are started when first needed and stay from one measurement to the next, idle: so they are
 * warm, and starting is not most of the run.
 */
export class Cast {
  private readonly waiting = new Map<string, Participant[]>();

  constructor(private readonly server: RedisServer) {}

  /** As many processes of that role as wanted, always the same ones. */
  async take({ adapter, ...opening }: Role, count: number): Promise<readonly Participant[]> {
    const role = JSON.stringify({ adapter, ...opening });
    const processes = this.waiting.get(role) ?? [];
    this.waiting.set(role, processes);
    const missing = Math.max(0, count - processes.length);
    processes.push(...(await Promise.all(Array.from({ length: missing }, () => this.start(adapter, opening)))));
    return processes.slice(0, count);
  }

  /** Ends the processes of an adapter, so that the next measurement begins with new ones. */
  async dismiss(adapter: string): Promise<void> {
    for (const [role, processes] of this.waiting) {
      if ((JSON.parse(role) as Role).adapter !== adapter) continue;
      this.waiting.delete(role);
      await Promise.all(processes.map((process) => process.stop()));
    }
  }

  /** Ends all processes: the idle ones of Redisson, for one, send a PING now and then. */
  async dismissAll(): Promise<void> {
    const all = [...this.waiting.values()].flat();
    this.waiting.clear();
    await Promise.all(all.map((process) => process.stop()));
  }

  private start(adapter: string, opening: Opening): Promise<Participant> {
    const { host, port } = this.server;
    return libraryNamed(adapter).start({ host, port }, opening);
  }
}
