import { Redis, type RedisOptions } from 'ioredis';
import { parseConnectionUrl } from './connection-url.js';

export interface RedisSocket {
  cork(): void;
  uncork(): void;
  destroy(error?: Error): void;
  on(event: 'error', listener: () => void): unknown;
  once(event: 'data', listener: () => void): unknown;
  listeners(event: 'error'): readonly unknown[];
}

/**
 * An ioredis client that a user gives, as a structural type: accepts an instance of another major version, or of another
 * installed copy, which `instanceof` would reject. It is only duplicated.
 */
export interface GivenClient {
  readonly status: string;
  readonly isCluster: boolean;
  readonly options: { readonly keyPrefix?: string | undefined };
  duplicate(override: object): object;
}

/** The part of ioredis that is used on connections of our own. */
export interface RedisClient extends GivenClient {
  /** The socket; absent before the client connects. */
  readonly stream?: RedisSocket;
  readonly options: {
    readonly keyPrefix?: string | undefined;
    socketTimeout?: number | undefined;
    connectTimeout?: number | undefined;
  };
  connect(): Promise<void>;
  disconnect(reconnect?: boolean): void;
  // Options and events differ between the versions of ioredis; neither side reads what the other wrote.
  duplicate(override: object): RedisClient;
  evalsha(sha: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>;
  eval(text: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>;
  subscribe(...channels: string[]): Promise<unknown>;
  unsubscribe(...channels: string[]): Promise<unknown>;
  ssubscribe(...channels: string[]): Promise<unknown>;
  sunsubscribe(...channels: string[]): Promise<unknown>;
  pubsub(subcommand: 'SHARDNUMSUB'): Promise<unknown>;
  cluster(subcommand: 'SLOTS' | 'INFO'): Promise<unknown>;
  asking(): Promise<unknown>;
  wait(replicas: number, timeout: number): Promise<unknown>;
  ping(): Promise<unknown>;
  time(): Promise<unknown>;
  info(section: string): Promise<unknown>;
  /** Any other command. */
  call(command: string, ...args: string[]): Promise<unknown>;
  on(event: string, listener: (...args: never[]) => void): unknown;
}

/** After the first error of a socket, later ones have no new information. */
const ignore = (): void => {};

/**
 * Call when closing a client, and on its errors. ioredis listens for one socket error only. A socket closed during the
 * TLS handshake emits two (certificate rejected, then closed early); the second would crash the process.
 */
export const ignoreLateSocketErrors = ({ stream }: RedisClient): void => {
  if (stream?.listeners('error').includes(ignore) === false) stream.on('error', ignore);
};

export const isRedisClient = (input: unknown): input is GivenClient =>
  typeof input === 'object' &&
  input !== null &&
  'duplicate' in input &&
  typeof input.duplicate === 'function' &&
  'evalsha' in input &&
  typeof input.evalsha === 'function' &&
  !('isCluster' in input && input.isCluster === true);

/** A connection of our own to the server of `input`; `settings` override the user's. Does not connect yet. */
export const duplicateClient = (input: string | RedisOptions | GivenClient, settings: RedisOptions): RedisClient => {
  // Replies have the same shape in every version and protocol; ioredis 5 ignores the option.
  const binding = { ...settings, replyMapping: 'legacy' } as const;
  // Its class has the other members as well: isRedisClient() has looked at some.
  if (isRedisClient(input)) return input.duplicate(binding) as RedisClient;
  return new Redis({ ...(typeof input === 'string' ? parseConnectionUrl(input) : input), ...binding });
};
