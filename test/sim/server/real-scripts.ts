import type { Redis } from 'ioredis';
import { ClockedServer } from '../../servers/redis/clocked-server.js';
import {
  type ArgumentsOf,
  encode,
  type KeysOf,
  type ScriptReply,
  type Script,
} from '../../../lib/backend/scripts/script.js';
import { connectAdmin } from '../../servers/redis/admin-connection.js';
import { RealSubscribers } from './real-subscribers.js';
import type { SimulatedStore } from './simulated-store.js';

/**
 * Indexes of reply elements that may differ: tokens, which are made of microseconds; the reader that is named among
 * several; and whether a writer was waiting.
 */
const INCOMPARABLE: Readonly<Record<string, number>> = {
  'fenced-lock/acquire': 4,
  'read-lock/acquire': 2,
  'write-lock/acquire': 2,
  'write-lock/withdraw': 0,
};

const comparable = (script: string, reply: ScriptReply): string => {
  if (typeof reply === 'string') return reply;
  // A client whose entry is gone asks again at once, whatever the present holder.
  if (script === 'lock/wait' && reply[0] === 'gone') return JSON.stringify([reply[0], reply.at(-1)]);
  return JSON.stringify(reply.filter((_, index) => index !== INCOMPARABLE[script]));
};

/** Sets a server's clock to the simulated instants, and lets it go on by a microsecond from one script to the next. */
class MicrosecondClock {
  private instant = 0;
  private micros = 0;

  constructor(private readonly clocked: ClockedServer) {}

  standAt(instant: number): void {
    this.micros = instant === this.instant ? this.micros + 1 : 0;
    this.instant = instant;
    this.clocked.standAt(instant, this.micros);
  }
}

interface RealServer {
  readonly clocked: ClockedServer;
  readonly clock: MicrosecondClock;
  readonly client: Redis;
  readonly subscribers: RealSubscribers;
}

/** Real Redis servers that execute each script as well, at the same instant, and have to give the same reply. */
export class RealScripts {
  private constructor(private readonly servers: ReadonlyMap<string, RealServer>) {}

  /** @param names Names of the simulated servers. Each gets a real server, because each has a clock of its own. */
  static async start(names: readonly string[]): Promise<RealScripts> {
    const servers = new Map<string, RealServer>();
    for (const name of names) {
      const clocked = await ClockedServer.start();
      const { url } = clocked.server;
      const clock = new MicrosecondClock(clocked);
      servers.set(name, { clocked, clock, client: connectAdmin(url), subscribers: new RealSubscribers(url) });
    }
    return new RealScripts(servers);
  }

  /** Deletes the data of the previous run, and its subscriptions. */
  async reset(): Promise<void> {
    const all = [...this.servers.values()];
    await Promise.all(all.flatMap(({ client, subscribers }) => [client.flushall(), subscribers.reset()]));
  }

  /** Gives a server the listeners of a simulated one. @param settle Stops time until a promise has settled. */
  listenLike(server: string, store: SimulatedStore, settle: (work: Promise<unknown>) => void): void {
    const { subscribers } = this.named(server);
    subscribers.settle = settle;
    store.watcher = subscribers;
  }

  async stop(): Promise<void> {
    for (const { client, clocked, subscribers } of this.servers.values()) {
      client.disconnect();
      subscribers.stop();
      await clocked.server.stop();
    }
  }

  /**
   * @param server The name of the simulated server.
   * @returns A description of the difference; `undefined` if the replies are the same.
   */
  async compare<S extends Script>(
    server: string,
    now: number,
    script: S,
    keys: KeysOf<S>,
    args: ArgumentsOf<S>,
    reply: ScriptReply,
  ): Promise<string | undefined> {
    const { clock, client, subscribers } = this.named(server);
    clock.standAt(now);
    const { keyCount, parameters } = encode(script, keys, args);
    const real: unknown = await client.eval(script.text, keyCount, ...parameters);
    const expected = comparable(script.name, reply);
    const found = Array.isArray(real) ? comparable(script.name, real) : String(real);
    const request = `${script.name} ${parameters.join(' ')}`;
    if (found !== expected) return `${request} replies ${found} on Redis and ${expected} in memory`;
    const difference = await subscribers.difference();
    return difference && `${request} ${difference}`;
  }

  /** Sets a counter. */
  async put(server: string, name: string, count: number): Promise<void> {
    await this.named(server).client.set(name, count);
  }

  private named(name: string): RealServer {
    const server = this.servers.get(name);
    if (!server) throw new Error(`There is no real server for ${name}`);
    return server;
  }
}
