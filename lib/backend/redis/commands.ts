import { createHash } from 'node:crypto';
import { LockUnavailableError } from '../../errors.js';
import type { SteadyScheduler } from '../../time/steady-scheduler.js';
import type { ConnectionInput } from './client.js';
import { RedisConnection } from './connection.js';
import { inTime } from './in-time.js';
import { isNotWritten, isScriptMissing, notConnected, unexpectedReply } from './replies.js';
import { type ArgumentsOf, encode, isReplyOf, type KeysOf, type ReplyOf, type Script } from './scripts/script.js';
import { ServerClock } from './server-clock.js';

/** A deadline of this many milliseconds or more is given to every command, however short its lease. */
const SHORTEST_DEADLINE_MS = 50;

const isCount = (value: unknown): value is string => typeof value === 'string' && /^\d{1,12}$/.test(value);

/**
 * Sends commands, each with a deadline of our own: ioredis neither cancels a command nor bounds every wait. A reply
 * that comes after the deadline is never taken for a success.
 */
export class RedisCommands {
  readonly serverClock: ServerClock;
  /** The run id of the server, where it was to be identified and lets this user know. */
  serverId: string | undefined;
  private readonly connection: RedisConnection;
  private readonly hashes = new Map<string, string>();

  constructor(
    input: ConnectionInput,
    /** The longest deadline of one command, ms. */
    readonly commandTimeout: number,
    private readonly scheduler: SteadyScheduler,
    { identify = false }: { readonly identify?: boolean } = {},
  ) {
    this.serverClock = new ServerClock(scheduler);
    this.connection = new RedisConnection(input, 'commands', commandTimeout, scheduler, {
      prepare: async () => {
        await this.learnServerTime();
        if (identify) this.serverId = await this.askServerId();
      },
      onClose: () => {},
    });
  }

  open(): void {
    this.connection.open();
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /**
   * How long a command about a lease may take: short enough that a reply in time leaves most of the lease, and that a
   * server which was replaced meanwhile cannot answer in time.
   */
  patience(lease: number): number {
    return Math.min(this.commandTimeout, Math.max(SHORTEST_DEADLINE_MS, lease / 4));
  }

  /** Resolves once commands can be sent; `LockUnavailableError` (`not-sent`) when that is not so by `deadline`. */
  async ready(deadline: number, name?: string): Promise<void> {
    if (this.connection.isReady) return;
    this.open();
    const waited = deadline - this.scheduler.now();
    if (!(await this.connection.whenReady(waited))) throw notConnected(name, waited, this.connection.lastError);
  }

  /** Runs a script before `deadline`, an instant of the scheduler. Call {@link ready} first. */
  async run<S extends Script>(
    script: S,
    keys: KeysOf<S>,
    args: ArgumentsOf<S>,
    deadline: number,
    name?: string,
  ): Promise<ReplyOf<S>> {
    const { keys: keyList, args: argList } = encode(script, keys, args);
    const evaluated = this.evaluate(script.text, keyList, argList, deadline);
    const reply = await inTime(evaluated, deadline, this.scheduler, name);
    if (!isReplyOf(script, reply)) throw unexpectedReply(reply);
    return reply;
  }

  /** EVALSHA, and EVAL only where the server does not know the script: a user without +eval can have them preloaded. */
  private async evaluate(
    text: string,
    keys: readonly string[],
    args: readonly string[],
    deadline: number,
  ): Promise<unknown> {
    const { client } = this.connection;
    try {
      return await client.evalsha(this.hash(text), keys.length, ...keys, ...args);
    } catch (error) {
      if (isNotWritten(error)) this.connection.goingDown();
      // After the deadline the caller has been told that it failed, so it must not happen any more.
      if (!isScriptMissing(error) || this.scheduler.now() > deadline) throw error;
      return client.eval(text, keys.length, ...keys, ...args);
    }
  }

  private hash(text: string): string {
    let hash = this.hashes.get(text);
    if (hash === undefined) {
      hash = createHash('sha1').update(text).digest('hex');
      this.hashes.set(text, hash);
    }
    return hash;
  }

  private async learnServerTime(): Promise<void> {
    const deadline = this.scheduler.now() + this.commandTimeout;
    const reply = await inTime(this.connection.client.time(), deadline, this.scheduler);
    const [seconds, micros]: readonly unknown[] = Array.isArray(reply) ? reply : [];
    if (!isCount(seconds) || !isCount(micros)) throw unexpectedReply(reply);
    this.serverClock.observe(Number(seconds) * 1000 + Math.floor(Number(micros) / 1000));
  }

  private async askServerId(): Promise<string | undefined> {
    try {
      const deadline = this.scheduler.now() + this.commandTimeout;
      const info = await inTime(this.connection.client.info('server'), deadline, this.scheduler);
      return /^run_id:(\w+)/m.exec(String(info))?.[1];
    } catch (error) {
      // A user who may not ask can lock all the same.
      if (error instanceof LockUnavailableError && error.permanent) return undefined;
      throw error;
    }
  }
}
