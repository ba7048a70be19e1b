import type { ServerOptions } from './server-options.js';

/**
 * The part of a client library for Redis that locks need: one connection to one server. Nothing is queued, repeated or
 * connected again below; clusters, Sentinels, deadlines and retries are dealt with above.
 */
export interface RedisDriver {
  /** Name of the client library, for messages. */
  readonly name: string;
  /**
   * Connects, and logs in. Calls the listener only after it has resolved.
   * @throws The reason why there is no connection; nothing is left open then.
   */
  connect(server: ServerOptions, terms: ConnectTerms, listener: DriverListener): Promise<DriverConnection>;
}

export interface ConnectTerms {
  /** The longest time until the socket is connected, ms; then it is rejected with the code `ETIMEDOUT`. */
  readonly timeout: number;
  /** Gives up. */
  readonly signal: AbortSignal;
}

/** Events of one connection. */
export interface DriverListener {
  onMessage(channel: string, message: string): void;
  /** The server has ended subscriptions to channels of a shard, which it does not serve any more. */
  onMoved(): void;
  /**
   * It is over, for whatever reason; called once. Commands without a reply have been rejected.
   * @param reason Why, if that is known.
   */
  onEnd(reason?: unknown): void;
}

/** A command and its arguments. */
export type Command = readonly [name: string, ...args: string[]];

/**
 * One connection. Commands are written in the order of the calls, in one event-loop turn or in several; replies have the
 * shapes of RESP2.
 */
export interface DriverConnection {
  /** @throws DriverError */
  send(command: Command): Promise<unknown>;
  /**
   * Resolves once the server has confirmed.
   * @param isSharded Whether the channels belong to a shard of a cluster, all of them to one slot.
   * @throws DriverError
   */
  subscribe(channels: readonly string[], isSharded: boolean): Promise<unknown>;
  /** @throws DriverError */
  unsubscribe(channels: readonly string[], isSharded: boolean): Promise<unknown>;
  /** Holds back what is written until `uncork`, so that it is written together. A driver that does so anyway does nothing. */
  cork(): void;
  uncork(): void;
  /** Ends it after what is written has been sent. */
  end(): void;
  /** Ends it at once. */
  destroy(): void;
}

/**
 * How a command failed: the server refused it (its message begins with the code of Redis), it was never written, or the
 * connection ended before its reply. What the server did with one of the last kind is unknown.
 */
export type FailureKind = 'refused' | 'not-written' | 'cut';

/** The failure of a command. */
export class DriverError extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'DriverError';
  }
}

/** The failure of a command that comes when the connection is over. */
export const notWritten = (): DriverError => new DriverError('not-written', 'The connection has ended');

/** The client library of a driver is not installed. */
export class MissingClientError extends Error {
  override readonly name = 'MissingClientError';

  /** @param packages Any of them would do. */
  constructor(readonly packages: readonly string[]) {
    super(`${packages.join(' and ')} ${packages.length === 1 ? 'is' : 'are'} not installed`);
  }
}

/** The error to throw if a library cannot be loaded. */
export const missingClient = (packageName: string, error: unknown): unknown =>
  error instanceof Error && codeOf(error) === 'MODULE_NOT_FOUND' && error.message.includes(`'${packageName}'`)
    ? new MissingClientError([packageName])
    : error;

/** Error code of the operating system, OpenSSL or Node; '' if there is none. */
export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

/**
 * Whether the TLS handshake failed. A server that refuses our certificate sends an alert and closes the connection, in
 * TLS 1.3 after we consider ourselves connected: whether the alert arrives before the close is a matter of luck. Once
 * it did, it stays the reason.
 */
export const isHandshakeError = (error: unknown): boolean => codeOf(error).startsWith('ERR_SSL_');
