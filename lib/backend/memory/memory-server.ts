import type { MessageListener } from '../pubsub.js';
import type { MonotonicScheduler } from '../../time/scheduler.js';
import type { Script } from '../scripts/script.js';
import { Keyspace, type Reply } from './keyspace.js';
import { runScript } from './lua.js';
import { translated } from './scripts.generated.js';

/** The time of the server at the beginning of the scheduler, ms since 1970: scripts expect an instant of our days. */
const EPOCH = Date.UTC(2024, 0, 1);

/** A client of the server: messages are counted by clients, not by their listeners. */
type MemoryClient = object;

/** The counterpart of a Redis server in the memory of this process. Several clients may share one. */
export class MemoryServer {
  readonly keyspace: Keyspace;
  private readonly channels = new Map<string, Map<MemoryClient, Set<MessageListener>>>();

  /** @param lastMs As in {@link Keyspace}. */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    lastMs?: number,
  ) {
    const messages = {
      publish: (channel: string, message: string) => this.publish(channel, message),
      receivers: (channel: string) => this.receivers(channel),
    };
    this.keyspace = new Keyspace(() => this.now(), messages, lastMs);
  }

  /** Its clock, ms since 1970. */
  now(): number {
    return EPOCH + this.scheduler.now();
  }

  /**
   * Executes a script.
   * @throws Refusal as a server replies with an error.
   */
  run({ name }: Script, keys: string[], args: string[]): Reply {
    const script = translated[name];
    if (!script) throw new Error(`Script ${name} was not translated`);
    return runScript(this.keyspace, script, keys, args);
  }

  /** Number of clients with a listener of `channel`. */
  receivers(channel: string): number {
    return this.channels.get(channel)?.size ?? 0;
  }

  /** Names of the channels with listeners. */
  get channelNames(): readonly string[] {
    return [...this.channels.keys()];
  }

  /** Returns what ends that. */
  subscribe(client: MemoryClient, channel: string, listener: MessageListener): () => void {
    const clients = this.channels.get(channel) ?? new Map<MemoryClient, Set<MessageListener>>();
    const listeners = clients.get(client) ?? new Set();
    this.channels.set(channel, clients.set(client, listeners.add(listener)));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) clients.delete(client);
      if (clients.size === 0) this.channels.delete(channel);
    };
  }

  private publish(channel: string, message: string): number {
    const clients = this.channels.get(channel);
    for (const listeners of clients?.values() ?? []) {
      // Not `queueMicrotask`, which the fake timers of a test runner replace: the message would wait for an advance.
      for (const listener of listeners) void Promise.resolve().then(() => listeners.has(listener) && listener(message));
    }
    return clients?.size ?? 0;
  }
}
