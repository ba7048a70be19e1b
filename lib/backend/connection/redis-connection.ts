import type { MonotonicScheduler, ScheduledTask } from '../../time/scheduler.js';
import { type LockUnavailableError, messageOf } from '../../errors.js';
import { runOutsideContexts } from '../../context/owner-context.js';
import { kindOf } from '../driver/failures.js';
import {
  type Command,
  type DriverConnection,
  DriverError,
  type DriverListener,
  isHandshakeError,
} from '../driver/redis-driver.js';
import { connectWithin } from './connect-within.js';
import { Sentinels } from './sentinels.js';
import { silent, SilenceGuard } from './silence-guard.js';
import { type Endpoint, endpointOf, hasSentinels, type ServerTarget } from './target.js';
import {
  type ConnectionProblem,
  describeProblem,
  explain,
  isCut,
  noConnection,
  withoutSecrets,
} from './connection-problem.js';
import { ConnectAttempts } from './connect-attempts.js';
import { isPermissionError } from './reply-errors.js';
import { rawReply, withDeadline } from './with-deadline.js';
import { WriteBatch } from './write-batch.js';

/** Purpose of a connection. */
export type Role = 'commands' | 'subscriber' | 'replication';

/** The longest wait for the end of a connection, ms. */
const CLOSE_TIMEOUT_MS = 500;

/** The longest time for which a server may leave WAIT unanswered, ms. */
const LONGEST_WAIT_MS = 40_000;

/** Milliseconds for which a server may leave a command unanswered before the connection is dropped. */
const longestSilence = (role: Role, commandTimeout: number): number =>
  role === 'replication' ? LONGEST_WAIT_MS : Math.max(1500, 1.5 * commandTimeout);

/** Callbacks of the owner of a connection. */
export interface ConnectionListener {
  /** Runs after each (re-)connection, before it counts as ready. A rejection drops the connection and tries again. */
  prepare(): Promise<void>;
  onReady?(): void;
  onClose?(): void;
  onMessage?(channel: string, message: string): void;
  /** Called when the server stops serving a channel of a shard. */
  onMoved?(): void;
  /** Whether a refused change to the given database is acceptable. Default: it is not. */
  acceptsDatabaseRefusal?(refusal: Error): boolean;
}

/**
 * `idle` → `connecting` → `preparing` → `ready`; whenever that ends, `pausing` → `connecting`. From any of them, `closed`.
 */
type State = 'idle' | 'connecting' | 'preparing' | 'ready' | 'pausing' | 'closed';

/** One connection of ours: opened on request, re-established by itself, reporting when it is ready. */
export class RedisConnection {
  readonly endpoint: Endpoint;
  readonly writes = new WriteBatch();
  /** Commands that report to it are not limited otherwise. */
  readonly silence: SilenceGuard;
  /** Hashes of the scripts that were sent as a whole since the connection was made: the server knows them. */
  readonly sentScripts = new Set<string>();
  /** Whether the server has not refused EVAL: trying it again would only fill the log of what it denied. */
  mayEval = true;
  private state: State = 'idle';
  /** The present one; absent in the states without any. */
  private current: DriverConnection | undefined;
  private isWritable = false;
  /** Why the connection is not established, if known. */
  private lastError: unknown;
  private wasReady = false;
  private pause: ScheduledTask | undefined;
  /** Gives up what is being connected. */
  private attempt = new AbortController();
  private onEnded = (): void => {};
  private readonly sentinels: Sentinels | undefined;
  private readonly attempts: ConnectAttempts;
  private readonly longestSilence: number;
  private readonly waiting = new Set<(ready: boolean) => void>();

  constructor(
    private readonly target: ServerTarget,
    private readonly role: Role,
    private readonly commandTimeout: number,
    private readonly scheduler: MonotonicScheduler,
    private readonly listener: ConnectionListener,
  ) {
    this.endpoint = endpointOf(target.options);
    if (hasSentinels(target.options)) this.sentinels = new Sentinels(target, scheduler, () => this.reconnect());
    this.attempts = new ConnectAttempts(scheduler);
    this.longestSilence = longestSilence(role, commandTimeout);
    this.silence = new SilenceGuard(scheduler, this.longestSilence, (reason) => this.drop(reason));
  }

  /** Connects, and from then on reconnects whenever the connection is lost. Further calls do nothing. */
  open(): void {
    if (this.state === 'idle') this.connect();
  }

  /** Whether commands can be sent, and what has to come before them was answered. */
  get isReady(): boolean {
    return this.state === 'ready' && this.isWritable;
  }

  /** Whether commands can be sent. */
  get isOpen(): boolean {
    return this.state === 'preparing' || this.state === 'ready';
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
    if (this.isReady) return Promise.resolve(true);
    if (this.state === 'closed' || ms <= 0) return Promise.resolve(false);
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

  /** Sends a command that reports to {@link silence}, and to {@link writes}. */
  write(command: Command): Promise<unknown> {
    this.writes.begin(this.current);
    return this.send(command);
  }

  /** Sends a command whose reply the caller limits. */
  send(command: Command): Promise<unknown> {
    return this.current?.send(command) ?? Promise.reject(notConnected());
  }

  /** @param isSharded Whether the channels belong to a shard of a cluster, all of them to one slot. */
  subscribe(channels: readonly string[], isSharded: boolean): Promise<unknown> {
    return this.limited(this.current?.subscribe(channels, isSharded));
  }

  unsubscribe(channels: readonly string[], isSharded: boolean): Promise<unknown> {
    return this.limited(this.current?.unsubscribe(channels, isSharded));
  }

  /** Ends the present connection and makes another. Does nothing while that is in progress. */
  reconnect(): void {
    const { current } = this;
    // A connection that is closing tells of its end itself.
    if (!current || this.state === 'closed') return;
    this.lost();
    current.end();
  }

  /** Called when a command could not be written: a driver may know of a closing connection before it says so. */
  markUnwritable(): void {
    this.isWritable = false;
  }

  /** Resolves the waits for the connection with false. */
  giveUpWaiting(): void {
    this.settleWaiting(false);
  }

  /**
   * Closes for good, without waiting for answers.
   * @param ms The longest that this may take; a connection that has not ended by then is destroyed.
   */
  async close(ms = CLOSE_TIMEOUT_MS): Promise<void> {
    if (this.state === 'closed') return;
    const { current, state } = this;
    this.state = 'closed';
    this.pause?.cancel();
    this.sentinels?.close();
    this.silence.answered();
    this.settleWaiting(false);
    if (!current && state !== 'connecting') return;
    await new Promise<void>((resolve) => {
      const timer = this.scheduler.schedule(
        Math.min(ms, CLOSE_TIMEOUT_MS),
        () => {
          current?.destroy();
          resolve();
        },
        { keepAlive: true },
      );
      this.onEnded = () => {
        timer.cancel();
        resolve();
      };
      this.attempt.abort();
      current?.end();
    });
  }

  private connect(): void {
    this.state = 'connecting';
    this.attempts.begin();
    this.attempt = new AbortController();
    void runOutsideContexts(() => this.establish());
  }

  private async establish(): Promise<void> {
    const { signal } = this.attempt;
    const { options, driver } = this.target;
    const { scheduler } = this;
    let connection: DriverConnection | undefined;
    const isCurrent = (): boolean => connection !== undefined && this.current === connection;
    const listener: DriverListener = {
      onMessage: (channel, message) => {
        if (isCurrent()) this.listener.onMessage?.(channel, message);
      },
      onMoved: () => {
        if (isCurrent()) this.listener.onMoved?.();
      },
      onEnd: (reason) => {
        if (isCurrent()) this.ended(reason);
      },
    };
    try {
      const server = (await this.sentinels?.locate(signal)) ?? options;
      connection = await connectWithin(driver, server, { timeout: this.attempts.timeout, signal }, listener, scheduler);
    } catch (error) {
      this.ended(error);
      return;
    }
    if (this.state === 'closed') {
      connection.destroy();
      this.onEnded();
      return;
    }
    this.current = connection;
    await this.prepare(connection);
  }

  private async prepare(connection: DriverConnection): Promise<void> {
    this.state = 'preparing';
    this.isWritable = true;
    try {
      await this.greet();
      this.attempts.connected();
      await this.selectDatabase();
      await this.listener.prepare();
    } catch (error) {
      // The end of a connection that was cut tells why.
      if (this.current !== connection || kindOf(error) === 'cut') return;
      this.lastError = error;
      this.reconnect();
      return;
    }
    if (this.current !== connection || this.state !== 'preparing') return;
    this.state = 'ready';
    this.wasReady = true;
    this.attempts.succeeded();
    this.lastError = undefined;
    this.settleWaiting(true);
    this.sentinels?.watch();
    this.listener.onReady?.();
  }

  /** @throws Error if the server does not answer, still loads its data, or is not the master that Sentinels have named. */
  private async greet(): Promise<void> {
    // A user without the right to it goes without the name.
    this.send(['CLIENT', 'SETNAME', `nest-redis-lock:${this.role}`]).catch(() => {});
    const question = this.sentinels ? this.send(['INFO', 'replication']) : this.send(['PING']);
    const deadline = this.scheduler.now() + this.attempts.timeout;
    try {
      const answer = await withDeadline(question, deadline, this.scheduler, rawReply());
      if (!String(answer).includes('role:slave')) return;
    } catch (error) {
      const refusal = refusalIn(error);
      // The server is there, which is what was asked.
      if (isPermissionError(refusal) && !/^(NOAUTH|WRONGPASS)/.test(messageOf(refusal))) return;
      throw refusal === error ? silent(this.attempts.timeout) : refusal;
    }
    this.sentinels?.misled();
    throw new Error('the server that the Sentinels have named is a replica');
  }

  /** @throws Error if the locks would be in another database than those of all other clients. */
  private async selectDatabase(): Promise<void> {
    const { database } = this.endpoint;
    if (database === 0) return;
    const deadline = this.scheduler.now() + this.commandTimeout;
    try {
      await withDeadline(this.send(['SELECT', String(database)]), deadline, this.scheduler, rawReply());
    } catch (error) {
      const refusal = refusalIn(error);
      if (!(refusal instanceof Error) || this.listener.acceptsDatabaseRefusal?.(refusal) !== true) throw refusal;
    }
  }

  private ended(reason: unknown): void {
    if (this.state === 'closed') {
      this.onEnded();
      return;
    }
    if (reason !== undefined) this.failed(reason);
    this.lost();
  }

  private failed(error: unknown): void {
    if (!(isCut(error) && isHandshakeError(this.lastError))) this.lastError = withoutSecrets(error);
  }

  private drop(reason: Error): void {
    const { current } = this;
    if (!current || this.state === 'closed') return;
    this.failed(reason);
    this.lost();
    current.destroy();
  }

  /** The present connection is over, or not used any more: what it says from now on is ignored. */
  private lost(): void {
    this.current = undefined;
    this.state = 'pausing';
    this.isWritable = false;
    this.sentScripts.clear();
    this.silence.answered();
    this.pause = this.scheduler.schedule(this.attempts.failed(), () => this.connect());
    this.listener.onClose?.();
  }

  /** Drops a connection on which a command without a deadline of its own is not answered. */
  private limited(reply: Promise<unknown> | undefined): Promise<unknown> {
    if (!reply) return Promise.reject(notConnected());
    const { current } = this;
    const timer = this.scheduler.schedule(this.longestSilence, () => {
      if (this.current === current) this.drop(silent(this.longestSilence));
    });
    return reply.finally(() => timer.cancel());
  }

  private settleWaiting(ready: boolean): void {
    for (const settle of this.waiting) settle(ready);
  }
}

/** The reply of the server, if it has refused the command. */
const refusalIn = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? error.cause : error;

const notConnected = (): DriverError => new DriverError('not-written', 'There is no connection');
