import type { RedisOptions } from 'ioredis';
import { Redis } from 'ioredis';
import { optionsOfUrl } from './connection-url.js';

export interface RedisSocket {
  cork(): void;
  uncork(): void;
  destroy(): void;
  on(event: 'error', listener: () => void): unknown;
  listeners(event: 'error'): readonly unknown[];
}

/**
 * The little of ioredis that is used, as a structure: an instance of another major version, or of another installed
 * copy, fits as well, which `instanceof` would deny.
 */
export interface RedisClient {
  readonly status: string;
  readonly isCluster: boolean;
  /** The socket; there is none before it connects. */
  readonly stream?: RedisSocket;
  readonly options: { readonly keyPrefix?: string | undefined };
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

/** Whoever hears of a socket that it failed has nothing to learn from what it says after that. */
const ignore = (): void => {};

/**
 * For whoever closes a client, or hears of an error. ioredis hears one error of a socket. Of one that is closed within the
 * TLS handshake Node emits two: why we do not trust the server, and that the server was not told good-bye; an error that
 * nobody hears ends the process.
 */
export const ignoreLateSocketErrors = ({ stream }: RedisClient): void => {
  if (stream?.listeners('error').includes(ignore) === false) stream.on('error', ignore);
};

export const isRedisClient = (input: unknown): input is RedisClient =>
  typeof input === 'object' &&
  input !== null &&
  'duplicate' in input &&
  typeof input.duplicate === 'function' &&
  'evalsha' in input &&
  typeof input.evalsha === 'function' &&
  !('isCluster' in input && input.isCluster === true);

/** A connection of our own to where `input` points, with `settings` over the user's. Does not connect yet. */
export const duplicateClient = (input: string | RedisOptions | RedisClient, settings: RedisOptions): RedisClient => {
  // Replies keep the shape they have in every version and protocol; ioredis 5 does not know the option.
  const binding = { ...settings, replyMapping: 'legacy' } as const;
  if (isRedisClient(input)) return input.duplicate(binding);
  return new Redis({ ...(typeof input === 'string' ? optionsOfUrl(input) : input), ...binding });
};
