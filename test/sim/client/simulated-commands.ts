import { LockUnavailableError } from '../../../lib/errors.js';
import { type BackendListener, noListener } from '../../../lib/backend/backend-listener.js';
import {
  type PublishCommand,
  type ScriptExecutor,
  timeoutWithin,
} from '../../../lib/backend/commands/script-executor.js';
import { readReply } from '../../../lib/backend/commands/script-call.js';
import { withDeadline } from '../../../lib/backend/connection/with-deadline.js';
import {
  type ArgumentsOf,
  encode,
  type KeysOf,
  type ReplyOf,
  type Script,
} from '../../../lib/backend/scripts/script.js';
import { ServerClock } from '../../../lib/backend/commands/server-clock.js';
import type { MonotonicScheduler } from '../../../lib/time/scheduler.js';
import type { SimulatedConnection } from '../network/connection.js';
import type { SimulatedServer } from '../server/simulated-server.js';
import { notConnected } from './not-connected.js';

/** Sends scripts to a simulated server, with the library's deadlines and its estimate of the server's clock. */
export class SimulatedCommands implements ScriptExecutor {
  private readonly clock: ServerClock;
  private watcher: BackendListener = noListener;
  private refusal: Error | undefined;

  constructor(
    private readonly connection: SimulatedConnection,
    private readonly server: SimulatedServer,
    private readonly scheduler: MonotonicScheduler,
    readonly commandTimeout: number,
    /** Called with each owner id for which a script is sent. */
    private readonly onOwner: (owner: string) => void,
  ) {
    this.clock = new ServerClock(scheduler, (ms) => this.watcher.clockJumped(ms));
    this.clock.observe(server.now);
  }

  /** Handles that the connection is ready again. */
  reconnected(): void {
    this.clock.observe(this.server.now);
    this.watcher.reconnected();
  }

  timeoutFor(lease: number): number {
    return timeoutWithin(this.commandTimeout, lease);
  }

  async masters(): Promise<readonly never[]> {
    return [];
  }

  isConnected(): boolean {
    return this.refusal === undefined && this.connection.isReady;
  }

  whenConnected(deadline: number, key: string, name = key): Promise<void> {
    if (this.refusal) return Promise.reject(this.refusal);
    if (this.connection.isReady) return Promise.resolve();
    const waited = deadline - this.scheduler.now();
    return new Promise((resolve, reject) => {
      const stop = this.connection.whenReady(() => {
        timer.cancel();
        if (this.scheduler.now() >= deadline) reject(notConnected(name, waited));
        else resolve();
      });
      const timer = this.scheduler.schedule(waited, () => {
        stop();
        reject(notConnected(name, waited));
      });
    });
  }

  turn(): undefined {
    return undefined;
  }

  serverTime(): number {
    return this.clock.now();
  }

  longestSince(_key: string, serverTime: number): number | undefined {
    return this.clock.longestSince(serverTime);
  }

  knowsReceivers(): boolean {
    return true;
  }

  mayGrant(): boolean {
    return true;
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

  run<S extends Script>(
    script: S,
    keys: KeysOf<S>,
    args: ArgumentsOf<S>,
    deadline: number,
    name?: string,
    asking = false,
  ): Promise<ReplyOf<S>> {
    // Throws for arguments that could not be sent to a real server.
    encode(script, keys, args);
    const { owner } = args as { owner?: unknown };
    if (typeof owner === 'string') this.onOwner(owner);
    const asked = this.connection.request(script.name, () => this.server.execute(script, keys, args, asking));
    return withDeadline(asked, deadline, this.scheduler, {
      name,
      read: (reply, now, ...how) => readReply(script, reply, this.clock, now, ...how),
    });
  }

  replicasWith(): Promise<number> {
    return Promise.reject(new LockUnavailableError('A simulated server has no replicas', 'refused', true));
  }

  watch(watcher: BackendListener): void {
    this.watcher = watcher;
  }

  refuse(reason: Error): void {
    this.refusal = reason;
  }

  open(): void {}

  async close(): Promise<void> {
    this.connection.close();
  }
}
