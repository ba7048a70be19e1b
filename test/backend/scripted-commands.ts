import type { ScriptExecutor } from '../../lib/backend/commands/script-executor.js';
import type { Replicas } from '../../lib/backend/commands/replication/replica-confirmation.js';
import type { Written } from '../../lib/backend/commands/written.js';
import {
  type ArgumentsOf,
  isReplyOf,
  type KeysOf,
  type ReplyOf,
  type Script,
} from '../../lib/backend/scripts/script.js';
import { LockUnavailableError } from '../../lib/errors.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';

/** A sent script. */
export interface SentScript {
  readonly script: string;
  readonly keys: Readonly<Record<string, unknown>>;
  readonly args: Readonly<Record<string, unknown>>;
  readonly at: number;
}

/** A reply of the test's own, or the error that the command fails with. */
export type Answerer = (sent: SentScript) => Promise<readonly unknown[]>;

export const unavailable = (
  outcome: LockUnavailableError['outcome'],
  message: string = outcome,
  permanent = false,
): LockUnavailableError => new LockUnavailableError(message, outcome, permanent);

/** Commands to a server that the test plays, on a manual clock. The server has the same clock. */
export class ScriptedCommands implements ScriptExecutor {
  commandTimeout = 1000;
  readonly clock = new ManualClock();
  readonly errors: unknown[] = [];
  readonly scheduler = new MonotonicScheduler(this.clock, (error) => void this.errors.push(error));
  readonly sent: SentScript[] = [];
  answer: Answerer = () => Promise.reject(unavailable('unknown'));
  /** The number of replicas that have the effects of the earlier commands. */
  replicas: () => Promise<number> = async () => 0;
  private isUp = true;
  /** The callbacks of commands that wait for the connection. */
  private readonly waiting = new Set<() => void>();

  get connected(): boolean {
    return this.isUp;
  }

  /** While it is false, nothing can be sent, and {@link whenConnected} rejects at its deadline. */
  set connected(isUp: boolean) {
    this.isUp = isUp;
    if (isUp) for (const goOn of this.waiting) goOn();
  }

  timeoutFor(): number {
    return this.commandTimeout;
  }

  async masters(): Promise<readonly never[]> {
    return [];
  }

  isConnected(): boolean {
    return this.connected;
  }

  turn(): Promise<void> | undefined {
    return undefined;
  }

  async whenConnected(deadline: number): Promise<void> {
    if (this.connected) return;
    const waited = deadline - this.clock.now();
    await new Promise<void>((resolve) => {
      const deadlineReached = this.scheduler.schedule(waited, () => goOn());
      const goOn = (): void => {
        deadlineReached.cancel();
        this.waiting.delete(goOn);
        resolve();
      };
      this.waiting.add(goOn);
    });
    if (!this.connected) throw unavailable('not-sent', `No connection to Redis within ${waited} ms`);
  }

  serverTime(): number {
    return this.clock.now();
  }

  longestSince(_key: string, serverTime: number): number | undefined {
    return this.clock.now() - serverTime;
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

  publishCommand(): 'PUBLISH' {
    return 'PUBLISH';
  }

  async run<S extends Script>(script: S, keys: KeysOf<S>, args: ArgumentsOf<S>): Promise<ReplyOf<S>> {
    const sent = { script: script.name, keys, args, at: this.clock.now() };
    this.sent.push(sent);
    const reply = await this.answer(sent);
    if (!isReplyOf(script, reply)) throw new TypeError(`No reply of ${script.name}: ${JSON.stringify(reply)}`);
    return reply;
  }

  replicasWith(_written: Written, _replicas: Replicas): Promise<number> {
    return this.replicas();
  }

  watch(): void {}

  refuse(): void {}

  open(): void {}

  async close(): Promise<void> {}
}
