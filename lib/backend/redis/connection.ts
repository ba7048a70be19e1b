import type { RedisOptions } from 'ioredis';
import { runOutsideRegions } from '../../scope/current-region.js';
import type { SteadyScheduler } from '../../time/steady-scheduler.js';
import { bearLateErrors, duplicateClient, type RedisClient } from './client.js';
import type { ServerInput } from './connection-input.js';

const FASTEST_RECONNECT_MS = 50;
const SLOWEST_RECONNECT_MS = 1000;
const SENTINEL_RECONNECT_MS = 10_000;
const CLOSE_PATIENCE_MS = 500;
const LONGEST_WAIT_MS = 40_000;

/** What a connection is for. */
export type Role = 'commands' | 'subscriber' | 'replication';

/**
 * What makes one command have one effect and every wait an end. The user's own choices must not decide the safety of a
 * lock, so these go over them.
 */
const bindingSettings = (role: Role, commandTimeout: number): RedisOptions => ({
  connectionName: `nest-redis-lock:${role}`,
  keyPrefix: '',
  lazyConnect: true,
  // Rejects what is in flight at the moment of a close; any other value sends it again or never settles it.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  // Nothing may run after we gave up on it.
  enableOfflineQueue: false,
  enableAutoPipelining: false,
  // ioredis subscribes again without a catch: one revoked permission there would end the process.
  autoResubscribe: false,
  enableReadyCheck: true,
  connectTimeout: 2000,
  disconnectTimeout: 200,
  // Frees a frozen or half-open socket, also during the handshake; but a WAIT may take its time.
  socketTimeout: role === 'replication' ? LONGEST_WAIT_MS : Math.max(1500, 2 * commandTimeout),
  keepAlive: 5000,
  stringNumbers: false,
  // Sentinels, where there are such: tried for ever, none of them for long, and listened to for a fail-over.
  failoverDetector: true,
  sentinelCommandTimeout: 1000,
  sentinelRetryStrategy: (attempts) => reconnectDelay(attempts),
  // Seldom: ioredis prints each of these failures, and nobody else can hear of them.
  sentinelReconnectStrategy: () => SENTINEL_RECONNECT_MS,
  // A master that was demoted refuses for ever: connect again, where a name may lead elsewhere now. Never send again (2).
  reconnectOnError: (error) => (error.message.includes('READONLY') ? 1 : false),
});

/** Milliseconds to wait after `failures` connections in a row that came to nothing. */
const reconnectDelay = (failures: number): number => {
  const cap = Math.min(SLOWEST_RECONNECT_MS, FASTEST_RECONNECT_MS * 2 ** Math.min(failures, 10));
  return Math.max(FASTEST_RECONNECT_MS, Math.random() * cap);
};

/** ioredis puts the command that failed into the error: for HELLO and AUTH that is the password, for whoever logs it. */
const withoutCommand = (error: unknown): unknown => {
  if (typeof error === 'object' && error !== null) Reflect.deleteProperty(error, 'command');
  return error;
};

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

const isCut = (error: unknown): boolean => ['ECONNRESET', 'EPIPE'].includes(codeOf(error));

/**
 * A server that refuses our certificate says so and cuts, in TLS 1.3 after we believe that we are connected: whether it is
 * heard before the cut is a matter of luck. Once it was, it stays the reason.
 */
const isHandshakeError = (error: unknown): boolean => codeOf(error).startsWith('ERR_SSL_');

/** What the owner of a connection wants to hear. */
export interface ConnectionListener {
  /** Runs after each (re-)connection, before it counts as ready. A rejection drops the connection and tries again. */
  prepare(): Promise<void>;
  onReady?(): void;
  onClose?(): void;
}

/** One connection of ours: opened when told to, coming back by itself, telling when it is ready. */
export class RedisConnection {
  readonly client: RedisClient;
  /** Why the connection is not there, as far as it is known. */
  lastError: unknown;
  private ready = false;
  private opened = false;
  private closed = false;
  /** Connections since the last one that became ready. ioredis counts only to the handshake, which `prepare` follows. */
  private failures = 0;
  private readonly waiting = new Set<(ready: boolean) => void>();
  private isGathering = false;

  constructor(
    input: ServerInput,
    role: Role,
    commandTimeout: number,
    private readonly scheduler: SteadyScheduler,
    private readonly listener: ConnectionListener,
  ) {
    const settings = bindingSettings(role, commandTimeout);
    // Unset, so that neither the user's time-out nor a late answer after it decides about a command: our deadline does.
    const unset = { commandTimeout: undefined };
    const retryStrategy = (): number => reconnectDelay(this.failures++);
    this.client = runOutsideRegions(() => duplicateClient(input, Object.assign(settings, unset, { retryStrategy })));
    this.client.on('error', (error: unknown) => {
      bearLateErrors(this.client);
      if (!(isCut(error) && isHandshakeError(this.lastError))) this.lastError = withoutCommand(error);
    });
    this.client.on('ready', () => void this.onReady());
    this.client.on('close', () => this.onClose());
    this.client.on('end', () => this.onEnd());
  }

  /** Connects, and from then on connects again whenever the connection is lost. Calling it again does nothing. */
  open(): void {
    if (this.opened || this.closed) return;
    this.opened = true;
    this.connect();
  }

  get isReady(): boolean {
    return this.ready;
  }

  /** Resolves with true when commands can be sent, with false when that was not so within `ms`. */
  whenReady(ms: number): Promise<boolean> {
    if (this.ready) return Promise.resolve(true);
    if (this.closed || ms <= 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (ready: boolean): void => {
        this.waiting.delete(settle);
        timer.cancel();
        resolve(ready);
      };
      const timer = this.scheduler.schedule(ms, () => settle(false), { keepAlive: true });
      this.waiting.add(settle);
    });
  }

  /**
   * What is written in this turn leaves together, at its end: with many callers, one system call for each command would
   * cost more than all the rest.
   */
  gather(): void {
    const { stream } = this.client;
    if (this.isGathering || !stream) return;
    this.isGathering = true;
    stream.cork();
    process.nextTick(() => {
      this.isGathering = false;
      stream.uncork();
    });
  }

  /** Drops the socket and connects anew. */
  reconnect(): void {
    if (this.closed) return;
    this.ready = false;
    bearLateErrors(this.client);
    this.client.disconnect(true);
  }

  /**
   * A command could not be written. ioredis knows that the connection goes down before it says so; until then each try
   * would fail at once.
   */
  goingDown(): void {
    this.ready = false;
  }

  /** Whoever waits until it is ready is told that it will not be. */
  giveUpWaiting(): void {
    this.settleWaiting(false);
  }

  /** Closes for good, at once, without waiting for answers. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.ready = false;
    this.settleWaiting(false);
    // Where nothing is connected nothing can end, and ioredis says nothing.
    const connected = this.opened && !['reconnecting', 'close', 'end'].includes(this.client.status);
    const ended = connected ? this.whenEnded() : Promise.resolve();
    bearLateErrors(this.client);
    this.client.disconnect();
    await ended;
  }

  private whenEnded(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.scheduler.schedule(CLOSE_PATIENCE_MS, resolve, { keepAlive: true });
      this.client.on('end', () => {
        timer.cancel();
        resolve();
      });
    });
  }

  private async onReady(): Promise<void> {
    try {
      await this.listener.prepare();
    } catch (error) {
      this.lastError = error;
      this.reconnect();
      return;
    }
    if (this.client.status !== 'ready' || this.closed) return;
    this.ready = true;
    this.failures = 0;
    this.lastError = undefined;
    this.settleWaiting(true);
    this.listener.onReady?.();
  }

  private onClose(): void {
    this.ready = false;
    this.listener.onClose?.();
  }

  private connect(): void {
    runOutsideRegions(() => this.client.connect()).catch((error: unknown) => {
      this.lastError ??= withoutCommand(error);
    });
  }

  /**
   * ioredis gives up for good where a connection is dropped while it still looks for the master, as its own detector of
   * fail-overs does.
   */
  private onEnd(): void {
    if (this.closed) return;
    this.scheduler.schedule(reconnectDelay(this.failures++), () => {
      if (!this.closed && this.client.status === 'end') this.connect();
    });
  }

  private settleWaiting(ready: boolean): void {
    for (const settle of this.waiting) settle(ready);
  }
}
