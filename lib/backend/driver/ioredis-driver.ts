import type { RedisOptions } from 'ioredis';
import { messageOf } from '../../errors.js';
import {
  type Command,
  type ConnectTerms,
  type DriverConnection,
  type DriverListener,
  type FailureKind,
  isHandshakeError,
  missingClient,
  notWritten,
  type RedisDriver,
} from './redis-driver.js';
import { type ClusterAddresses, type ClusterSeed, DEFAULT_HOST, type ServerOptions } from './server-options.js';

interface Socket {
  cork(): void;
  uncork(): void;
  destroy(error?: Error): void;
  on(event: 'error', listener: () => void): unknown;
}

/** The part of a client of ioredis that is used. */
interface Client {
  /** The socket; absent before the client connects. */
  readonly stream?: Socket;
  connect(): Promise<void>;
  disconnect(): void;
  call(...command: Command): Promise<unknown>;
  subscribe(...channels: readonly string[]): Promise<unknown>;
  unsubscribe(...channels: readonly string[]): Promise<unknown>;
  ssubscribe(...channels: readonly string[]): Promise<unknown>;
  sunsubscribe(...channels: readonly string[]): Promise<unknown>;
  on(event: string, listener: (...args: never[]) => void): unknown;
}

/**
 * Settings that give each command a single effect. They override the user's, which must not decide the safety of a lock.
 */
const SETTINGS: RedisOptions = {
  keyPrefix: '',
  // Selected above, where a refusal is dealt with.
  db: 0,
  lazyConnect: true,
  // One connection: the next is another.
  retryStrategy: () => null,
  reconnectOnError: null,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  // No command may run after we gave up on it.
  enableOfflineQueue: false,
  enableAutoPipelining: false,
  autoResubscribe: false,
  // Asked above, without the right to INFO.
  enableReadyCheck: false,
  // Neither the user's time-out nor a late answer after it decides about a command: our deadline does.
  commandTimeout: undefined,
  socketTimeout: undefined,
  disconnectTimeout: 200,
  keepAlive: 5000,
  stringNumbers: false,
};

/** Replies have the same shape in every version and protocol; ioredis 5 ignores the option. */
const REPLIES = { replyMapping: 'legacy' } as const;

const ignore = (): void => {};

/** One connection of ioredis, which connects no second time. */
class IoredisConnection implements DriverConnection {
  private hasEnded = false;
  private isConnected = false;
  /** Why it ends. */
  private reason: Error | undefined;

  private constructor(
    private readonly client: Client,
    listener: DriverListener,
  ) {
    client.on('error', (error: Error) => {
      // ioredis listens for one socket error only. A socket closed during the TLS handshake emits two (certificate
      // rejected, then closed early); the second would crash the process.
      client.stream?.on('error', ignore);
      // Version 5.4 does not know that a server ends subscriptions when their slot moves.
      if (error.message.includes('Last reply: sunsubscribe')) return listener.onMoved();
      if (!isHandshakeError(this.reason)) this.reason = error;
    });
    const onMessage = (channel: string, message: string): void => listener.onMessage(channel, message);
    client.on('message', onMessage);
    client.on('smessage', onMessage);
    client.on('moved', () => listener.onMoved());
  }

  static connect(
    client: Client,
    hasLogin: boolean,
    { signal }: ConnectTerms,
    listener: DriverListener,
  ): Promise<IoredisConnection> {
    const connection = new IoredisConnection(client, listener);
    return new Promise((resolve, reject) => {
      const abort = (): void => connection.destroy();
      const connected = (): void => {
        signal.removeEventListener('abort', abort);
        connection.isConnected = true;
        resolve(connection);
      };
      client.on('ready', () => {
        // Version 5 is ready before its login is answered, and this, which needs no right, is answered after that.
        const answered = (): void => {
          if (!connection.reason) connected();
        };
        if (hasLogin) client.call('hello').then(answered, answered);
        else connected();
      });
      client.on('end', () => {
        signal.removeEventListener('abort', abort);
        connection.hasEnded = true;
        if (connection.isConnected) listener.onEnd(connection.reason);
        else reject(connection.reason ?? new Error(CLOSED));
      });
      signal.addEventListener('abort', abort);
      // A failure is an event as well, or the client has been ended.
      client.connect().catch((error: Error) => {
        connection.reason ??= error;
      });
    });
  }

  send(command: Command): Promise<unknown> {
    if (this.hasEnded) return Promise.reject(notWritten());
    // Version 5 knows by names in lower case what may be sent beside subscriptions, which is PING.
    return command.length === 1 ? this.client.call(command[0].toLowerCase()) : this.client.call(...command);
  }

  subscribe(channels: readonly string[], isSharded: boolean): Promise<unknown> {
    if (this.hasEnded) return Promise.reject(notWritten());
    return isSharded ? this.client.ssubscribe(...channels) : this.client.subscribe(...channels);
  }

  unsubscribe(channels: readonly string[], isSharded: boolean): Promise<unknown> {
    if (this.hasEnded) return Promise.reject(notWritten());
    return isSharded ? this.client.sunsubscribe(...channels) : this.client.unsubscribe(...channels);
  }

  cork(): void {
    this.client.stream?.cork();
  }

  uncork(): void {
    this.client.stream?.uncork();
  }

  end(): void {
    this.client.stream?.on('error', ignore);
    this.client.disconnect();
  }

  destroy(): void {
    this.end();
    this.client.stream?.destroy();
  }
}

const CLOSED = 'Connection is closed.';

/** Errors by name. ioredis rejects every command in flight with one about an option of its own. */
const KINDS: Readonly<Record<string, FailureKind>> = { ReplyError: 'refused', MaxRetriesPerRequestError: 'cut' };

/** How a command failed. */
export const ioredisFailure = (error: Error): FailureKind | undefined => {
  // It knows of a closing connection before it emits the event.
  if (messageOf(error).includes("Stream isn't writeable")) return 'not-written';
  return error.message === CLOSED ? 'cut' : KINDS[error.name];
};

/** @param create Makes a client with these options. */
const driverOf = (create: (options: RedisOptions) => Client): RedisDriver => ({
  name: 'ioredis',
  connect: async (server, terms, listener) => {
    const client = create({
      ...(server as RedisOptions),
      ...SETTINGS,
      connectTimeout: terms.timeout,
    });
    if (terms.signal.aborted) throw notWritten();
    return IoredisConnection.connect(client, Boolean(server.password), terms, listener);
  },
});

/** @throws MissingClientError */
export const loadIoredis = (): typeof import('ioredis') => {
  // In a `try`, for bundlers: the library may be missing.
  try {
    return require('ioredis');
  } catch (error) {
    throw missingClient('ioredis', error);
  }
};

/** Connections of the installed ioredis. */
export const ioredisDriver: RedisDriver = driverOf((options) => {
  const { Redis } = loadIoredis();
  return new Redis({ ...options, ...REPLIES });
});

/**
 * A client of ioredis or iovalkey, as a structural type: accepts an instance of another major version, or of another
 * installed copy, which `instanceof` would reject. It is only duplicated.
 */
export interface IoredisClient {
  readonly status: string;
  readonly isCluster: boolean;
  readonly options: ServerOptions;
  duplicate(override: object): object;
}

/** The part of a `Cluster` of ioredis that gives the addresses of its servers. No command is ever sent through it. */
export interface IoredisCluster {
  readonly isCluster: boolean;
  readonly options: {
    readonly keyPrefix?: string | undefined;
    readonly redisOptions?: ServerOptions | undefined;
    readonly natMap?: ServerOptions['natMap'];
    readonly useSRVRecords?: boolean | undefined;
  };
  nodes(role: 'all'): readonly { readonly options: ServerOptions }[];
}

export const isIoredisCluster = (given: unknown): given is IoredisCluster =>
  typeof given === 'object' && given !== null && 'isCluster' in given && given.isCluster === true && 'nodes' in given;

export const isIoredisClient = (given: unknown): given is IoredisClient =>
  typeof given === 'object' &&
  given !== null &&
  'duplicate' in given &&
  typeof given.duplicate === 'function' &&
  'evalsha' in given &&
  typeof given.evalsha === 'function' &&
  !('isCluster' in given && given.isCluster === true);

/** Connections with the options of a client that a user gives, by the library that has made it. */
export const duplicatingIoredis = (client: IoredisClient): RedisDriver =>
  // Its class has the other members as well: isIoredisClient() has looked at some.
  driverOf((options) => client.duplicate({ ...options, ...REPLIES }) as Client);

/** Where a client of a cluster leads; `undefined` if it looks that up in SRV records. */
export const clusterOfIoredis = (client: IoredisCluster): ClusterAddresses | undefined => {
  const { redisOptions, natMap, keyPrefix, useSRVRecords } = client.options;
  if (useSRVRecords) return undefined;
  // Its start-up nodes are missing in its types.
  const { startupNodes = [] } = client as IoredisCluster & { readonly startupNodes?: readonly unknown[] };
  const cluster = [...client.nodes('all').map(({ options }) => options), ...startupNodes].map((node): ClusterSeed => {
    if (typeof node === 'string') return node;
    if (typeof node === 'number') return { host: DEFAULT_HOST, port: node };
    const { host = DEFAULT_HOST, port } = (node ?? {}) as ServerOptions;
    return { host, port };
  });
  return { cluster, redisOptions, natMap: natMap ?? undefined, keyPrefix };
};
