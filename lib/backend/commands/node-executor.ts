import { isPassing } from '../../errors.js';
import type { MonotonicScheduler } from '../../time/scheduler.js';
import { type BackendListener, noListener } from '../backend-listener.js';
import { type PublishCommand, type ScriptExecutor, timeoutWithin } from './script-executor.js';
import { RedisConnection } from '../connection/redis-connection.js';
import type { Command } from '../driver/redis-driver.js';
import type { ServerTarget } from '../connection/target.js';
import { describeProblem } from '../connection/connection-problem.js';
import { rawReply, withDeadline } from '../connection/with-deadline.js';
import { Reachability } from '../connection/reachability.js';
import { ReplicaConfirmation, type Replicas } from './replication/replica-confirmation.js';
import type { Written } from './written.js';
import { RequestTurns } from './request-turns.js';
import { askIdentity, askRunId, RestartGuard } from './restart-guard.js';
import type { ArgumentsOf, KeysOf, ReplyOf, Script } from '../scripts/script.js';
import { ScriptCall, type ScriptServer } from './script-call.js';
import { askServerTime, ServerClock } from './server-clock.js';

export interface NodeSettings {
  /** The longest deadline of one command, ms. */
  readonly commandTimeout: number;
  /** The longest lease that the server may have forgotten when it restarts, ms. Default: 0, none. */
  readonly restartGuard?: number;
  /** How long the server may be disconnected before that is reported as an outage, ms. Default: `commandTimeout`. */
  readonly missedAfter?: number;
  /** Whether to ask the server for its run id, as far as this user's permissions allow. Default: no. */
  readonly identify?: boolean;
}

/** {@link ScriptExecutor} on one server: a standalone one, the master that Sentinels name, or one node of several. */
export class NodeExecutor implements ScriptExecutor {
  readonly commandTimeout: number;
  /** Run id of the server, if it was asked for and this user may read it. */
  serverId: string | undefined;
  readonly clock: ServerClock;
  private readonly connection: RedisConnection;
  private readonly scriptServer: ScriptServer;
  private readonly reachability: Reachability;
  private readonly guard: RestartGuard | undefined;
  private replication: ReplicaConfirmation | undefined;
  private watcher = noListener;
  private opened = false;
  private closed = false;
  private wasReady = false;
  private refusal: Error | undefined;

  constructor(
    private readonly target: ServerTarget,
    { commandTimeout, missedAfter = commandTimeout, restartGuard = 0, identify = false }: NodeSettings,
    private readonly scheduler: MonotonicScheduler,
    onLost: () => void = () => {},
  ) {
    this.commandTimeout = commandTimeout;
    this.clock = new ServerClock(scheduler, (ms) => this.watcher.clockJumped(ms));
    this.guard = restartGuard > 0 ? new RestartGuard(scheduler, restartGuard) : undefined;
    this.connection = new RedisConnection(target, 'commands', commandTimeout, scheduler, {
      prepare: () => this.prepare(identify),
      onReady: () => this.connected(),
      onClose: () => {
        this.reachability.missing();
        onLost();
      },
    });
    const turns = new RequestTurns(this.connection.writes, scheduler, commandTimeout);
    this.scriptServer = { connection: this.connection, clock: this.clock, turns };
    const { server } = this.connection.endpoint;
    this.reachability = new Reachability(scheduler, missedAfter, {
      onLost: () => {
        const reason = describeProblem(server, this.connection.problem);
        const error = this.connection.unavailable(undefined, missedAfter);
        this.watcher.unavailable({ server, reason, affects: 'all-locks', error });
      },
      onFound: (after) => this.watcher.available({ server, after, isReplaced: false }),
    });
  }

  open(): void {
    this.opened = true;
    if (!this.isReady) this.reachability.missing();
    this.connection.open();
  }

  async close(ms?: number): Promise<void> {
    this.closed = true;
    this.reachability.end();
    await Promise.all([this.connection.close(ms), this.replication?.close(ms)]);
  }

  /** Whether commands can be sent now. */
  get isReady(): boolean {
    return this.connection.isReady;
  }

  /** Whether the connection is lost, or was opened and has not been established yet. */
  get isLost(): boolean {
    return this.opened && !this.isReady;
  }

  /** Its address or name, without a password. */
  get server(): string {
    return this.connection.endpoint.server;
  }

  /**
   * Asks the server whether it answers.
   * @param deadline Instant of the scheduler.
   * @throws LockUnavailableError if there is no answer, or no lock is granted there now; the error given to `refuse()`.
   */
  async check(deadline: number): Promise<void> {
    await this.whenConnected(deadline);
    await this.send(['PING'], deadline);
    const guarded = this.guard?.refusal(undefined);
    if (guarded) throw guarded;
  }

  /** Fails the callers that wait for the connection. */
  rejectWaiting(): void {
    this.connection.giveUpWaiting();
  }

  timeoutFor(lease: number): number {
    return timeoutWithin(this.commandTimeout, lease);
  }

  /** Deadline of a command that concerns no lease. */
  deadline(): number {
    return this.scheduler.now() + this.commandTimeout;
  }

  /** Why there is no connection, if that is known. */
  get unreachable(): Error | undefined {
    return this.connection.unreachable;
  }

  isConnected(): boolean {
    return this.refusal === undefined && this.connection.isReady;
  }

  turn(_key: string, name?: string): Promise<void> | undefined {
    return this.scriptServer.turns.next(name);
  }

  async whenConnected(deadline: number, key?: string, name = key): Promise<void> {
    if (this.refusal) throw this.refusal;
    if (this.connection.isReady) return;
    this.open();
    const waited = deadline - this.scheduler.now();
    const isReady = await this.connection.whenReady(waited);
    if (this.refusal) throw this.refusal;
    // A blocked event loop can learn of both at once.
    const isLate = this.scheduler.now() >= deadline;
    if (!isReady || isLate) throw this.connection.unavailable(name, waited);
  }

  serverTime(_key?: string, now?: number): number {
    return this.clock.now(now);
  }

  longestSince(_key: string, serverTime: number): number | undefined {
    return this.clock.longestSince(serverTime);
  }

  knowsReceivers(): boolean {
    return true;
  }

  mayGrant(): boolean {
    return this.guard?.isOn !== true;
  }

  latest(_key: string, notAfter: number): number {
    return notAfter;
  }

  shardOf(): number {
    return 0;
  }

  publishCommand(): PublishCommand {
    return 'PUBLISH';
  }

  replicasWith(written: Written, replicas: Replicas, asking = false): Promise<number> {
    this.replication ??= this.openReplication();
    return this.replication.replicasWith(written, replicas, asking);
  }

  async masters(): Promise<readonly NodeExecutor[]> {
    return [this];
  }

  watch(listener: BackendListener): void {
    this.watcher = listener;
  }

  refuse(reason: Error): void {
    this.refusal = reason;
  }

  /** Called when the server has replaced another one. */
  promoted(): void {
    this.guard?.promoted();
  }

  run<S extends Script>(
    script: S,
    keys: KeysOf<S>,
    args: ArgumentsOf<S>,
    deadline: number,
    name?: string,
    /** Whether the slot of the keys is migrating to this server, which serves them only after ASKING. */
    asking = false,
  ): Promise<ReplyOf<S>> {
    const call = new ScriptCall(this.scriptServer, script, keys, args, name, asking);
    // Check in the same event-loop turn as the send, so that a reconnect cannot slip in between.
    const guarded = script.grants ? this.guard?.refusal(name) : undefined;
    if (guarded) return Promise.reject(guarded);
    return withDeadline(call.send(), deadline, this.scheduler, call);
  }

  /** Runs commands that are no scripts, with the same deadline rules. */
  ask<T>(command: (connection: RedisConnection) => Promise<T>, deadline: number): Promise<T> {
    const { silence } = this.connection;
    const missed = (timeout: number): void => silence.missed(timeout);
    const settled = (): void => silence.answered();
    return withDeadline(command(this.connection), deadline, this.scheduler, { ...rawReply<T>(), missed, settled });
  }

  send(command: Command, deadline: number): Promise<unknown> {
    return this.ask((connection) => connection.send(command), deadline);
  }

  private openReplication(): ReplicaConfirmation {
    const replication = new ReplicaConfirmation(this.target, this.commandTimeout, this.scheduler);
    if (this.closed) void replication.close();
    return replication;
  }

  private async prepare(identify: boolean): Promise<void> {
    this.clock.observe(await this.ask(askServerTime, this.deadline()));
    if (this.guard) this.guard.observe(await this.ask(askIdentity, this.deadline()));
    if (identify) this.serverId = await this.askServerId();
  }

  private connected(): void {
    this.reachability.found();
    if (this.wasReady) this.watcher.reconnected();
    this.wasReady = true;
  }

  private async askServerId(): Promise<string | undefined> {
    try {
      return await this.ask(askRunId, this.deadline());
    } catch (error) {
      // A user without permission to ask can lock all the same.
      if (isPassing(error)) throw error;
      return undefined;
    }
  }
}
