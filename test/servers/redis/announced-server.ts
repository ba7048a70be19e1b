import { Redis } from 'ioredis';
import { DISCONNECT_TIMEOUT_MS } from './admin-connection.js';
import { FaultProxy } from '../proxy/fault-proxy.js';
import { onFreePort } from '../process/free-port.js';
import { RedisServer, type RedisServerOptions } from './redis-server.js';

export interface AnnouncedServerOptions extends Omit<RedisServerOptions, 'port'> {
  /** Puts a proxy in front of the server. Default: none. */
  readonly behindProxy?: boolean;
  /** Settings by which the server tells others that it is at `announced`, although it listens on `port`. */
  readonly announce?: (announced: number, port: number) => readonly string[];
  /** Distance to a higher port that must be free as well. */
  readonly busOffset?: number;
}

/** Limits how long a test's own commands wait for a frozen server. */
const ADMIN_TIMEOUT_MS = 5000;
const RECONNECT_MS = 50;

/** A server that announces an address to others: its own, or that of the proxy in front of it. */
export class AnnouncedServer {
  /** A connection of the test's own, past the proxy. */
  readonly admin: Redis;

  private constructor(
    readonly server: RedisServer,
    readonly proxy: FaultProxy | undefined,
  ) {
    const { host, port, password } = server;
    this.admin = new Redis({
      ...{ host, port, commandTimeout: ADMIN_TIMEOUT_MS, retryStrategy: () => RECONNECT_MS },
      disconnectTimeout: DISCONNECT_TIMEOUT_MS,
      ...(password === undefined ? {} : { password }),
    });
    // Tests kill servers on purpose, and the commands reject.
    this.admin.on('error', () => {});
  }

  static start({
    behindProxy = false,
    announce = () => [],
    busOffset = 0,
    args = [],
    ...options
  }: AnnouncedServerOptions = {}): Promise<AnnouncedServer> {
    return onFreePort(async (port) => {
      const proxy = behindProxy ? await FaultProxy.start({ host: '127.0.0.1', port }) : undefined;
      const announced = proxy === undefined ? [] : announce(proxy.port, port);
      try {
        return new AnnouncedServer(await RedisServer.start({ ...options, port, args: [...args, ...announced] }), proxy);
      } catch (error) {
        await proxy?.close();
        throw error;
      }
    }, busOffset);
  }

  /** The address that clients and other servers use. */
  get address(): { readonly host: string; readonly port: number } {
    const { host, port } = this.proxy ?? this.server;
    return { host, port };
  }

  get url(): string {
    return (this.proxy ?? this.server).url;
  }

  async stop(): Promise<void> {
    this.admin.disconnect();
    await this.proxy?.close();
    await this.server.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
