import type { ConnectionOptions } from 'node:tls';
import { messageOf } from '../../errors.js';
import { onAbort } from '../../time/abort-listeners.js';
import {
  type Command,
  type DriverConnection,
  DriverError,
  type DriverListener,
  missingClient,
  notWritten,
  type RedisDriver,
} from './redis-driver.js';
import {
  type ClusterAddresses,
  DEFAULT_HOST,
  DEFAULT_PORT,
  type ServerAddress,
  type ServerOptions,
} from './server-options.js';

/** The longest time for the replies to what was written, once a connection is to end, ms. */
const END_MS = 200;

type OnMessage = (message: string, channel: string) => void;

/** The part of a client of node-redis that is used. */
interface Client {
  connect(): Promise<unknown>;
  close(): Promise<unknown>;
  destroy(): void;
  sendCommand(args: readonly string[]): Promise<unknown>;
  subscribe(channels: readonly string[], listener: OnMessage): Promise<unknown>;
  unsubscribe(channels: readonly string[], listener: OnMessage): Promise<unknown>;
  sSubscribe(channels: readonly string[], listener: OnMessage): Promise<unknown>;
  sUnsubscribe(channels: readonly string[], listener: OnMessage): Promise<unknown>;
  on(event: string, listener: (...args: never[]) => void): unknown;
}

interface SocketAddress {
  readonly tls?: boolean | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly path?: string | undefined;
}

/** Options of a client of node-redis, as far as they are used. */
interface ClientOptions {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly database?: number | undefined;
  readonly keyPrefix?: string | Uint8Array | undefined;
  readonly socket?: (ConnectionOptions & SocketAddress) | undefined;
}

/**
 * Settings that give each command a single effect. They override the user's, which must not decide the safety of a lock.
 */
const SETTINGS = {
  url: undefined,
  // A user without the right to CLIENT SETNAME could not connect.
  name: undefined,
  disableClientInfo: true,
  maintNotifications: 'disabled',
  clientSideCache: undefined,
  emitInvalidate: false,
  readonly: false,
  keyPrefix: undefined,
  // Selected above, where a refusal is dealt with.
  database: 0,
  // No command may run after we gave up on it.
  disableOfflineQueue: true,
  commandsQueueMaxLength: undefined,
  pingInterval: 0,
  // Neither the user's time-out nor a late answer after it decides about a command: our deadline does.
  commandOptions: { timeout: undefined },
};

const socketOf = ({ host, port, path, family, tls }: ServerOptions, timeout: number): object => ({
  ...(path ? { path } : { host: host ?? '127.0.0.1', port: Number(port ?? 6379) }),
  ...(family === undefined ? {} : { family }),
  ...(typeof tls === 'object' ? tls : {}),
  tls: Boolean(tls),
  connectTimeout: timeout,
  socketTimeout: undefined,
  // One connection: the next is another.
  reconnectStrategy: false,
  keepAlive: true,
  keepAliveInitialDelay: 5000,
});

/** One connection of node-redis, which connects no second time. It gathers what is written in one turn by itself. */
class NodeRedisConnection implements DriverConnection {
  /** Whether nothing may be sent any more. */
  private isEnding = false;
  private hasEnded = false;
  /** Whether the socket is connected: only then can a client be destroyed for good. */
  private hasSocket = false;
  private isConnected = false;
  /** The last change of subscriptions: node-redis sends nothing for a channel that it believes to be subscribed to. */
  private change: Promise<unknown> = Promise.resolve();
  private readonly onMessage: OnMessage;

  private constructor(
    private readonly client: Client,
    private readonly listener: DriverListener,
  ) {
    this.onMessage = (message, channel) => listener.onMessage(channel, message);
    client.on('error', (error: unknown) => this.over(error));
    client.on('end', () => this.over());
    client.on('sharded-channel-moved', () => listener.onMoved());
    client.on('connect', () => {
      this.hasSocket = true;
      if (this.isEnding) this.destroy();
    });
  }

  static async connect(client: Client, signal: AbortSignal, listener: DriverListener): Promise<NodeRedisConnection> {
    const connection = new NodeRedisConnection(client, listener);
    let giveUp = (): void => {};
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = () => reject(new DriverError('cut', 'The connection was given up'));
    });
    const unlisten = onAbort(signal, () => {
      connection.destroy();
      giveUp();
    });
    try {
      await Promise.race([client.connect(), givenUp]);
    } catch (error) {
      connection.destroy();
      throw withCode(error);
    } finally {
      unlisten();
    }
    connection.isConnected = true;
    return connection;
  }

  send(command: Command): Promise<unknown> {
    if (this.isEnding) return Promise.reject(notWritten());
    return this.explained(this.client.sendCommand(command));
  }

  subscribe(channels: readonly string[], isSharded: boolean): Promise<unknown> {
    const { client, onMessage } = this;
    return this.changed(() =>
      isSharded ? client.sSubscribe(channels, onMessage) : client.subscribe(channels, onMessage),
    );
  }

  unsubscribe(channels: readonly string[], isSharded: boolean): Promise<unknown> {
    const { client, onMessage } = this;
    return this.changed(() =>
      isSharded ? client.sUnsubscribe(channels, onMessage) : client.unsubscribe(channels, onMessage),
    );
  }

  cork(): void {}

  uncork(): void {}

  end(): void {
    if (this.isEnding) return;
    this.isEnding = true;
    // Its promise resolves when all is answered.
    this.client.close().catch(() => {});
    setTimeout(() => this.destroy(), END_MS).unref();
  }

  destroy(): void {
    this.isEnding = true;
    if (!this.hasSocket) return;
    try {
      this.client.destroy();
    } catch {
      // Version 5 refuses to close a client that is closed.
    }
    this.over();
  }

  private changed(send: () => Promise<unknown>): Promise<unknown> {
    const changing = this.change.then(() => (this.isEnding ? Promise.reject(notWritten()) : this.explained(send())));
    this.change = changing.catch(() => {});
    return changing;
  }

  /** Once the connection is over, all that it has not answered is rejected; before, only what the server refuses. */
  private explained(reply: Promise<unknown>): Promise<unknown> {
    return reply.catch((error: unknown) => {
      const message = messageOf(error);
      // The last replies may be told of only after the end.
      const isReply = !this.hasEnded || ERROR_CODE.test(message);
      throw new DriverError(isReply ? 'refused' : 'cut', message, { cause: error });
    });
  }

  private over(reason?: unknown): void {
    if (this.hasEnded) return;
    this.isEnding = true;
    this.hasEnded = true;
    if (!this.isConnected) return;
    this.destroy();
    this.listener.onEnd(reason);
  }
}

/** The beginning of the errors of servers. */
const ERROR_CODE = /^[A-Z]{2}[A-Z\d]* /;

const withCode = (error: unknown): unknown =>
  messageOf(error) === 'Connection timeout'
    ? Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' })
    : error;

/**
 * Replies have the same shape in every version: that of version 2 of the protocol. Node-redis 5, whose clients have no
 * prefix, uses it if nothing is said, and otherwise sends HELLO, which a server or a proxy may not know.
 */
const protocolOf = (client: object): object => ({ RESP: '_keyPrefix' in client ? 2 : undefined });

/** @param create Makes a client with these options. */
const driverOf = (create: (options: object, socket: object) => Client): RedisDriver => ({
  name: 'node-redis',
  connect: async (server, { timeout, signal }, listener) => {
    const { username, password } = server;
    const login = { ...(username ? { username } : {}), ...(password ? { password } : {}) };
    const client = create({ ...SETTINGS, ...login }, socketOf(server, timeout));
    if (signal.aborted) throw notWritten();
    return NodeRedisConnection.connect(client, signal, listener);
  },
});

/** @throws MissingClientError */
export const loadNodeRedis = (): typeof import('redis') => {
  // In a `try`, for bundlers: the library may be missing.
  try {
    return require('redis');
  } catch (error) {
    throw missingClient('redis', error);
  }
};

/** Is never connected. node-redis makes the methods of all commands anew for each client that is not a duplicate: 50 ms. */
let original: NodeRedisClient | undefined;

/** Connections of the installed node-redis. */
export const nodeRedisDriver: RedisDriver = driverOf((options, socket) => {
  original ??= loadNodeRedis().createClient() as unknown as NodeRedisClient;
  return original.duplicate({ ...options, ...protocolOf(original), socket }) as Client;
});

/** A client of node-redis, as a structural type: accepts an instance of another installed copy. It is only duplicated. */
export interface NodeRedisClient {
  readonly isReady: boolean;
  readonly options: object;
  sendCommand(args: readonly string[]): Promise<unknown>;
  duplicate(overrides: object): object;
}

export const isNodeRedisClient = (given: unknown): given is NodeRedisClient =>
  typeof given === 'object' &&
  given !== null &&
  'isReady' in given &&
  'options' in given &&
  'sendCommand' in given &&
  'duplicate' in given &&
  typeof given.duplicate === 'function';

/** The part of a cluster client of node-redis that gives its servers. No command is ever sent through it. */
export interface NodeRedisCluster {
  /** Each with the address that the cluster reports, and its client, which is absent before it is connected to. */
  readonly masters: readonly { readonly address: string; readonly client?: NodeRedisClient | undefined }[];
  readonly replicas: NodeRedisCluster['masters'];
  nodeClient(node: object): unknown;
  /** Prefix of every name, from version 6 on. */
  readonly _keyPrefix?: string | Uint8Array | undefined;
}

export const isNodeRedisCluster = (given: unknown): given is NodeRedisCluster =>
  typeof given === 'object' && given !== null && 'masters' in given && 'nodeClient' in given;

const prefixOf = (prefix: string | Uint8Array | undefined): string | undefined =>
  prefix === undefined ? undefined : Buffer.from(prefix).toString();

/** Where a client leads, and as whom. */
export const nodeRedisOptions = ({ options }: NodeRedisClient): ServerOptions => {
  const { username, password, database, keyPrefix, socket = {} } = options as ClientOptions;
  const { tls, host, port, path, ...rest } = socket;
  return {
    host,
    port,
    path,
    username,
    password,
    db: database,
    keyPrefix: prefixOf(keyPrefix),
    tls: tls === true ? rest : undefined,
  };
};

/** Connections with the options of a client that a user gives, by the library that has made it. */
export const duplicatingNodeRedis = (client: NodeRedisClient): RedisDriver =>
  driverOf((options, socket) => {
    // A path leads there, whatever it is.
    const { socket: { path: _path, ...given } = {} } = client.options as ClientOptions;
    return client.duplicate({ ...options, ...protocolOf(client), socket: { ...given, ...socket } }) as Client;
  });

/**
 * Where a client of a cluster leads, and the driver of its library. Its own options are private, and those of the connections to
 * its nodes are not.
 */
export const clusterOfNodeRedis = ({
  masters,
  replicas,
  _keyPrefix,
}: NodeRedisCluster): { readonly input: ClusterAddresses; readonly driver?: RedisDriver } => {
  const nodes = [...masters, ...replicas].flatMap(({ address, client }) => (client ? [{ address, client }] : []));
  const [first] = nodes;
  if (!first) return { input: { cluster: [] } };
  const natMap: Record<string, ServerAddress> = {};
  for (const { address, client } of nodes) {
    const { host = DEFAULT_HOST, port = DEFAULT_PORT } = nodeRedisOptions(client);
    natMap[address] = { host, port: Number(port) };
  }
  const { username, password, tls, keyPrefix = prefixOf(_keyPrefix) } = nodeRedisOptions(first.client);
  return {
    input: { cluster: Object.values(natMap), redisOptions: { username, password, tls }, natMap, keyPrefix },
    driver: duplicatingNodeRedis(first.client),
  };
};
