import { duplicateClient, ignoreLateSocketErrors, type RedisClient, type RedisSocket } from './redis-client.js';
import type { MonotonicScheduler, ScheduledTask } from '../../time/scheduler.js';
import type { LockUnavailableError } from '../../errors.js';
import { runOutsideContexts } from '../../context/owner-context.js';
import type { ServerInput } from './connection-input.js';
import {
  type ConnectionProblem,
  describeProblem,
  explain,
  isCut,
  isDatabaseRefusal,
  isHandshakeError,
  noConnection,
  withoutSecrets,
} from './connection-problem.js';
import { ConnectAttempts } from './connect-attempts.js';
import { connectionSettings, longestSilence, type Role } from './connection-settings.js';
import { type Endpoint, endpointOf } from './endpoint.js';

/**
 * The most commands that are written together. The time for their replies runs, and ten thousand of one turn must not
 * wait for its end.
 */
const MOST_TOGETHER = 100;

/**
 * Writes the commands of one event-loop turn by few system calls: with many callers, one call for each command would
 * cost more than all the rest. A command with no other in flight is written at once.
 */
export class WriteBatch {
  /** Number of commands that are neither answered nor failed. */
  inFlight = 0;
  private isCorked = false;
  /** Number of commands that the socket holds back. */
  private heldBack = 0;

  constructor(private readonly client: RedisClient) {}

  /** To be called before a command is sent. */
  begin(): void {
    if (this.inFlight > 0) this.cork();
    this.inFlight += 1;
  }

  /** To be called when the client has answered a command, or failed it. */
  end(): void {
    this.inFlight -= 1;
  }

  /** Writes what is held back, before the end of the event-loop turn. */
  flush(): void {
    const { stream } = this.client;
    if (!stream || !this.isCorked) return;
    stream.uncork();
    stream.cork();
  }

  private cork(): void {
    const { stream } = this.client;
    if (!stream) return;
    if (this.isCorked) {
      this.heldBack += 1;
      if (this.heldBack % MOST_TOGETHER === 0) this.flush();
      return;
    }
    this.isCorked = true;
    this.heldBack = 0;
    stream.cork();
    process.nextTick(() => {
      this.isCorked = false;
      stream.uncork();
    });
  }
}

/**
 * Drops a connection that is open but silent: its server is frozen, or the socket has not noticed that it is cut off.
 * ioredis (`socketTimeout`) sets a timer and a listener for each command, a quarter of the JavaScript of a lone one.
 * Therefore ioredis does that only until the connection is ready. From then on there is a timer only after a command has
 * missed its deadline.
 */
export class SilenceGuard {
  private timer: ScheduledTask | undefined;

  /**
   * @param client Its option `socketTimeout` must be set.
   * @param longest Milliseconds for which a server may leave a command unanswered.
   */
  constructor(
    private readonly client: RedisClient,
    private readonly scheduler: MonotonicScheduler,
    private readonly longest: number,
  ) {}

  /** Called when the connection is ready. */
  begin(): void {
    this.client.options.socketTimeout = undefined;
  }

  /** Called when the connection is closed. */
  end(): void {
    this.client.options.socketTimeout = this.longest;
    this.clear();
  }

  /** Called when a command was answered, in time or late. */
  answered(): void {
    if (this.timer) this.clear();
  }

  /**
   * Called when a command has been unanswered for `ms`. Only an answer shows that the server is alive: what it sends may
   * belong to another protocol, in which the client waits for the rest of something that has no end.
   */
  missed(ms: number): void {
    const { stream } = this.client;
    if (this.timer || !stream || this.client.options.socketTimeout !== undefined) return;
    this.timer = this.scheduler.schedule(this.longest - ms, () => {
      this.timer = undefined;
      stream.destroy(new Error(`Socket timeout: no answer for ${this.longest}ms`));
    });
  }

  private clear(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }
}

/** The longest wait for the end of a socket, ms. */
const CLOSE_TIMEOUT_MS = 500;

/** Callbacks of the owner of a connection. */
export interface ConnectionListener {
  /** Runs after each (re-)connection, before it counts as ready. A rejection drops the connection and tries again. */
  prepare(): Promise<void>;
  onReady?(): void;
  onClose?(): void;
  /** Whether a refused change to the given database is acceptable. Default: it is not. */
  acceptsDatabaseRefusal?(refusal: Error): boolean;
}

/** One connection of ours: opened on request, re-established by itself, reporting when it is ready. */
export class RedisConnection {
  readonly client: RedisClient;
  readonly endpoint: Endpoint;
  readonly writes: WriteBatch;
  /** Only of a connection whose commands report to it. */
  readonly silence: SilenceGuard | undefined;
  /** Hashes of the scripts that were sent as a whole since the connection was made: the server knows them. */
  readonly sentScripts = new Set<string>();
  /** Whether the server has not refused EVAL: trying it again would only fill the log of what it denied. */
  mayEval = true;
  /** Why the connection is not established, if known. */
  private lastError: unknown;
  private ready = false;
  private wasReady = false;
  private opened = false;
  private closed = false;
  private readonly attempts: ConnectAttempts;
  private readonly longestSilence: number;
  private readonly waiting = new Set<(ready: boolean) => void>();
  /** The socket that was dropped, so that it is dropped only once. */
  private dropped: RedisSocket | undefined;
  /** Why the connection is in another database than requested. */
  private databaseRefusal: Error | undefined;

  constructor(
    input: ServerInput,
    role: Role,
    commandTimeout: number,
    private readonly scheduler: MonotonicScheduler,
    private readonly listener: ConnectionListener,
  ) {
    this.endpoint = endpointOf(input);
    this.attempts = new ConnectAttempts(scheduler);
    this.longestSilence = longestSilence(role, commandTimeout);
    const settings = connectionSettings(role, commandTimeout);
    // Unset, so that neither the user's time-out nor a late answer after it decides about a command: our deadline does.
    const unset = { commandTimeout: undefined };
    const own = {
      retryStrategy: () => this.attempts.failed(this.client),
      // A demoted master refuses for ever: connect again, since a name may lead to another server now. Not done by
      // ioredis, which would drop the socket once for each refused command.
      reconnectOnError: (error: Error) => {
        if (error.message.includes('READONLY')) this.reconnect();
        return false;
      },
    };
    this.client = runOutsideContexts(() => duplicateClient(input, Object.assign(settings, unset, own)));
    this.writes = new WriteBatch(this.client);
    if (role === 'commands') this.silence = new SilenceGuard(this.client, scheduler, this.longestSilence);
    this.client.on('connecting', () => this.attempts.begin(this.client));
    this.client.on('error', (error: unknown) => {
      ignoreLateSocketErrors(this.client);
      if (isDatabaseRefusal(error)) this.databaseRefusal = error;
      if (!(isCut(error) && isHandshakeError(this.lastError))) this.lastError = withoutSecrets(error);
    });
    this.client.on('ready', () => void this.onReady());
    this.client.on('close', () => this.onClose());
    this.client.on('end', () => this.onEnd());
  }

  /** Connects, and from then on reconnects whenever the connection is lost. Further calls do nothing. */
  open(): void {
    if (this.opened || this.closed) return;
    this.opened = true;
    this.connect();
  }

  get isReady(): boolean {
    return this.ready;
  }

  /** The same as an error, if there was one since it was ready. */
  get unreachable(): Error | undefined {
    if (this.lastError === undefined) return undefined;
    return new Error(describeProblem(this.endpoint.server, this.problem), { cause: this.lastError });
  }

  /** Why it is not ready. */
  get problem(): ConnectionProblem {
    return explain(this.lastError, this.endpoint, this.wasReady);
  }

  /** The error for a caller that has waited `ms` for the connection. */
  unavailable(lockName: string | undefined, ms: number): LockUnavailableError {
    return noConnection(lockName, ms, this.endpoint.server, this.problem, this.lastError);
  }

  /** Resolves with true once commands can be sent, with false if that was not possible within `ms`. */
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

  /** Drops the socket and connects again. Does nothing while that is in progress. */
  reconnect(): void {
    if (this.closed) return;
    this.ready = false;
    const { stream } = this.client;
    if (!this.hasSocket || stream === this.dropped) return;
    this.dropped = stream;
    ignoreLateSocketErrors(this.client);
    runOutsideContexts(() => this.client.disconnect(true));
  }

  /**
   * Called when a command could not be written. ioredis knows of a closing connection before it emits the event; until
   * then each attempt would fail at once.
   */
  markUnwritable(): void {
    this.ready = false;
  }

  /** Resolves the waits for the connection with false. */
  giveUpWaiting(): void {
    this.settleWaiting(false);
  }

  /**
   * Closes for good, without waiting for answers.
   * @param ms The longest that this may take; a socket that has not ended by then is destroyed.
   */
  async close(ms = CLOSE_TIMEOUT_MS): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.ready = false;
    this.settleWaiting(false);
    // Without a socket there is no end, and ioredis emits no event.
    const ended = this.hasSocket ? this.whenEnded(Math.min(ms, CLOSE_TIMEOUT_MS)) : Promise.resolve();
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
    this.attempts.connected();
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
    this.client.options.socketTimeout = this.longestSilence;
    this.silence?.begin();
    this.wasReady = true;
    this.attempts.succeeded();
    this.lastError = undefined;
    this.settleWaiting(true);
    this.listener.onReady?.();
  }

  /** @throws Error if the locks would be in another database than those of all other clients. */
  private checkDatabase(): void {
    const { databaseRefusal: refusal } = this;
    if (refusal && this.listener.acceptsDatabaseRefusal?.(refusal) !== true) throw refusal;
  }

  private onClose(): void {
    this.ready = false;
    this.sentScripts.clear();
    this.silence?.end();
    this.databaseRefusal = undefined;
    this.listener.onClose?.();
  }

  private connect(): void {
    const failed = (error: unknown): void => void (this.lastError ??= withoutSecrets(error));
    void runOutsideContexts(() => this.client.connect().catch(failed));
  }

  /**
   * ioredis gives up for good if a connection is dropped while it still looks for the master, as its own fail-over
   * detector does.
   */
  private onEnd(): void {
    if (this.closed) return;
    this.scheduler.schedule(this.attempts.failed(this.client), () => {
      if (!this.closed && this.client.status === 'end') this.connect();
    });
  }

  private settleWaiting(ready: boolean): void {
    for (const settle of this.waiting) settle(ready);
  }
}
