import type { Redis } from 'ioredis';
import { ClockedServer } from '../../servers/redis/clocked-server.js';
import { type ArgumentsOf, encode, type KeysOf, type Script } from '../../../lib/backend/redis/scripts/script.js';
import { connectAdmin } from '../../servers/redis/admin-connection.js';

/**
 * Indexes of reply elements that may differ: tokens, which are made of microseconds; the number of listeners, which are
 * connected to the simulated server only; the reader that is named among several; and whether a writer was waiting.
 */
const INCOMPARABLE: Readonly<Record<string, number>> = {
  'fenced-lock/acquire': 4,
  'lock/release': 0,
  'read-lock/acquire': 2,
  'write-lock/acquire': 2,
  'write-lock/withdraw': 0,
};

const comparable = (script: string, reply: readonly unknown[]): string =>
  JSON.stringify(reply.filter((_, index) => index !== INCOMPARABLE[script]));

interface RealServer {
  readonly clocked: ClockedServer;
  readonly client: Redis;
}

/** Real Redis servers that execute each script as well, at the same instant, and have to give the same reply. */
export class RealScripts {
  private constructor(private readonly servers: ReadonlyMap<string, RealServer>) {}

  /** @param names Names of the simulated servers. Each gets a real server, because each has a clock of its own. */
  static async start(names: readonly string[]): Promise<RealScripts> {
    const servers = new Map<string, RealServer>();
    for (const name of names) {
      const clocked = await ClockedServer.start();
      servers.set(name, { clocked, client: connectAdmin(clocked.server.url) });
    }
    return new RealScripts(servers);
  }

  /** Deletes the data of the previous run. */
  async reset(): Promise<void> {
    await Promise.all([...this.servers.values()].map(({ client }) => client.flushall()));
  }

  async stop(): Promise<void> {
    for (const { client, clocked } of this.servers.values()) {
      client.disconnect();
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
    reply: readonly unknown[],
  ): Promise<string | undefined> {
    const { clocked, client } = this.named(server);
    clocked.standAt(now);
    const { keyCount, parameters } = encode(script, keys, args);
    const real: unknown = await client.eval(script.text, keyCount, ...parameters);
    const expected = comparable(script.name, reply);
    const found = Array.isArray(real) ? comparable(script.name, real) : String(real);
    if (found === expected) return undefined;
    return `${script.name} ${parameters.join(' ')} replies ${found} on Redis and ${expected} in memory`;
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
