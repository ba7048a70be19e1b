import type { LockUnavailableError } from '../../../errors.js';
import { runOutsideRegions } from '../../../context/owner-context.js';
import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import { ignoreLateSocketErrors, duplicateClient, type RedisClient, type RedisSocket } from './redis-client.js';
import type { ServerInput } from './connection-input.js';
import { isCut, isDatabaseRefusal, isHandshakeError, withoutSecrets } from './connection-error.js';
import { type ConnectionProblem, explain, noConnection } from './connection-problem.js';
import { bindingSettings, reconnectDelay, type Role } from './connection-settings.js';
import { type Endpoint, endpointOf } from './endpoint.js';

/** The longest that a socket is waited for which is told to end, ms. */
const CLOSE_PATIENCE_MS = 500;

/** What the owner of a connection wants to hear. */
export interface ConnectionListener {
  /** Runs after each (re-)connection, before it counts as ready. A rejection drops the connection and tries again. */
  prepare(): Promise<void>;
  onReady?(): void;
  onClose?(): void;
  /** Whether it does not matter that the server refused to change to the database that was given. Default: it does. */
  bearsDatabaseRefusal?(refusal: Error): boolean;
}

/** One connection of ours: opened when told to, coming back by itself, telling when it is ready. */
export class RedisConnection {
  readonly client: RedisClient;
  readonly endpoint: Endpoint;
  /** Why the connection is not there, as far as it is known. */
  private lastError: unknown;
  private ready = false;
  private wasReady = false;
  private opened = false;
  private closed = false;
  /** Connections since the last one that became ready. ioredis counts only to the handshake, which `prepare` follows. */
  private failures = 0;
  private readonly waiting = new Set<(ready: boolean) => void>();
  private isGathering = false;
  /** The socket that was told to end, so that it is told once. */
  private dropped: RedisSocket | undefined;
  /** Why the connection is in another database than it should be. */
  private databaseRefusal: Error | undefined;

  constructor(
    input: ServerInput,
    role: Role,
    commandTimeout: number,
    private readonly scheduler: MonotonicScheduler,
    private readonly listener: ConnectionListener,
  ) {
    this.endpoint = endpointOf(input);
    const settings = bindingSettings(role, commandTimeout);
    // Unset, so that neither the user's time-out nor a late answer after it decides about a command: our deadline does.
    const unset = { commandTimeout: undefined };
    const own = {
      retryStrategy: () => reconnectDelay(this.failures++),
      // A master that was demoted refuses for ever: connect again, where a name may lead elsewhere now. Not by ioredis,
      // which would drop the socket once for each command that was refused.
      reconnectOnError: (error: Error) => {
        if (error.message.includes('READONLY')) this.reconnect();
        return false;
      },
    };
    this.client = runOutsideRegions(() => duplicateClient(input, Object.assign(settings, unset, own)));
    this.client.on('error', (error: unknown) => {
      ignoreLateSocketErrors(this.client);
      if (isDatabaseRefusal(error)) this.databaseRefusal = error;
      if (!(isCut(error) && isHandshakeError(this.lastError))) this.lastError = withoutSecrets(error);
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

  /** Why it is not ready. */
  get problem(): ConnectionProblem {
    return explain(this.lastError, this.endpoint, this.wasReady);
  }

  /** What is told to somebody who has waited `ms` for it to be ready. */
  unavailable(lockName: string | undefined, ms: number): LockUnavailableError {
    return noConnection(lockName, ms, this.endpoint.server, this.problem, this.lastError);
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

  /** Drops the socket and connects anew. Does nothing while that is under way. */
  reconnect(): void {
    if (this.closed) return;
    this.ready = false;
    const { stream } = this.client;
    if (!this.hasSocket || stream === this.dropped) return;
    this.dropped = stream;
    ignoreLateSocketErrors(this.client);
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

  /**
   * Closes for good, without waiting for answers.
   * @param ms The longest that this may take; a socket that has not ended by then is destroyed.
   */
  async close(ms = CLOSE_PATIENCE_MS): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.ready = false;
    this.settleWaiting(false);
    // Where nothing is connected nothing can end, and ioredis says nothing.
    const ended = this.hasSocket ? this.whenEnded(Math.min(ms, CLOSE_PATIENCE_MS)) : Promise.resolve();
    ignoreLateSocketErrors(this.client);
    this.client.disconnect();
    await ended;
  }

  /** Whether there is a socket, or one is being opened. */
  private get hasSocket(): boolean {
    return this.opened && !['reconnecting', 'close', 'end'].includes(this.client.status);
  }

  private whenEnded(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.client.stream?.destroy();
        resolve();
      };
      const timer = this.scheduler.schedule(ms, giveUp, { keepAlive: true });
      this.client.on('end', () => {
        timer.cancel();
        resolve();
      });
    });
  }

  private async onReady(): Promise<void> {
    try {
      this.checkDatabase();
      await this.listener.prepare();
    } catch (error) {
      this.lastError = error;
      this.reconnect();
      return;
    }
    if (this.client.status !== 'ready' || this.closed) return;
    this.ready = true;
    this.wasReady = true;
    this.failures = 0;
    this.lastError = undefined;
    this.settleWaiting(true);
    this.listener.onReady?.();
  }

  /** @throws Error where locks would lie in another database than those of everybody else. */
  private checkDatabase(): void {
    const { databaseRefusal: refusal } = this;
    if (refusal && this.listener.bearsDatabaseRefusal?.(refusal) !== true) throw refusal;
  }

  private onClose(): void {
    this.ready = false;
    this.databaseRefusal = undefined;
    this.listener.onClose?.();
  }

  private connect(): void {
    runOutsideRegions(() => this.client.connect()).catch((error: unknown) => {
      this.lastError ??= withoutSecrets(error);
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
