import type { BackendListener } from '../backend-listener.js';
import type { Command } from '../driver/redis-driver.js';
import type { Replicas } from './replication/replica-confirmation.js';
import type { Written } from './written.js';
import type { ArgumentsOf, KeysOf, ReplyOf, Script } from '../scripts/script.js';

/** Command that announces a change: to every server, or to the shard of the channel. */
export type PublishCommand = 'PUBLISH' | 'SPUBLISH';

/** One server, for commands that are no scripts. */
export interface AskedServer {
  /** Rejects with `LockUnavailableError` (`not-sent`) if nothing can be sent by `deadline`. */
  whenConnected(deadline: number): Promise<void>;
  /** Runs one command, with the deadline rules of scripts. */
  send(command: Command, deadline: number): Promise<unknown>;
}

/**
 * Sends scripts to the server of their keys: the only one, or the right one of a cluster. Each script has a deadline of
 * our own, because a driver neither cancels a command nor limits its time. A reply after the deadline was reported never
 * counts as success.
 */
export interface ScriptExecutor {
  /** The longest deadline of one command, ms. */
  readonly commandTimeout: number;
  /**
   * Time limit of a command about a lease, ms: short enough that a reply in time leaves most of the lease, and that a
   * server which was replaced meanwhile cannot answer in time.
   */
  timeoutFor(lease: number): number;
  /**
   * Whether commands about `key` can be sent now. Otherwise {@link whenConnected} waits for that, or rejects with the
   * reason.
   */
  isConnected(key: string): boolean;
  /**
   * Resolves once commands about `key` can be sent. Rejects with `LockUnavailableError` (`not-sent`) if that is not
   * possible by `deadline`.
   */
  whenConnected(deadline: number, key: string, name?: string): Promise<void>;
  /**
   * Resolves when it is the turn of an acquisition about `key`, if very many requests are under way; `undefined`: it may
   * be sent now. Rejects with `LockUnavailableError` (`not-sent`) if those are not answered. Its deadline is to begin with
   * its turn.
   */
  turn(key: string, name?: string): Promise<void> | undefined;
  /**
   * Estimated time on the server of `key`; never ahead of it.
   * @param now Time of the scheduler. Default: the clock is read.
   */
  serverTime(key: string, now?: number): number;
  /**
   * Milliseconds that have passed at most since the clock of the server of `key` showed `serverTime`; `undefined`:
   * unknown.
   */
  longestSince(key: string, serverTime: number): number | undefined;
  /**
   * Whether the server of `key` knows all clients that receive what a script publishes on a channel of the key. Not in
   * a cluster whose messages go to every server; true until that is known.
   */
  knowsReceivers(key: string): boolean;
  /** Whether the server of `key` may grant locks: not while it may have forgotten earlier grants. */
  mayGrant(key: string): boolean;
  /**
   * The instant from which a request about `key` with this `notAfter` is refused, by the fastest clock of all servers
   * that it may be redirected to.
   */
  latest(key: string, notAfter: number): number;
  /** Keys of one shard may be named in one command. */
  shardOf(key: string): number;
  /** The command that publishes to a channel. Known once {@link whenConnected} has resolved. */
  publishCommand(channel: string): PublishCommand;
  /**
   * Runs a script before `deadline`, an instant of the scheduler. Call {@link whenConnected} first. Rejects with
   * `LockUnavailableError` (`refused`) if the script grants something and its server may have forgotten earlier grants.
   */
  run<S extends Script>(
    script: S,
    keys: KeysOf<S>,
    args: ArgumentsOf<S>,
    deadline: number,
    name?: string,
  ): Promise<ReplyOf<S>>;
  /**
   * Resolves with the number of replicas that have a write, once it suffices or the time for it is over.
   * @throws LockUnavailableError if the number cannot be found out.
   */
  replicasWith(written: Written, replicas: Replicas): Promise<number>;
  /** Every server that has keys. Rejects with `LockUnavailableError` (`not-sent`) if they are not known by `deadline`. */
  masters(deadline: number): Promise<readonly AskedServer[]>;
  /** Reports changes of the servers to `watcher` from now on. */
  watch(listener: BackendListener): void;
  /** Refuses every command from now on, with this error. */
  refuse(reason: Error): void;
  open(): void;
  /** @param ms The longest time that this may take. Default: half a second. */
  close(ms?: number): Promise<void>;
}

/** Shortest deadline of any command, however short its lease, ms. */
const SHORTEST_DEADLINE_MS = 50;

/** {@link ScriptExecutor.timeoutFor} */
export const timeoutWithin = (commandTimeout: number, lease: number): number =>
  Math.min(commandTimeout, Math.max(SHORTEST_DEADLINE_MS, lease / 4));

/** Arguments by which a script announces a change; without a command, it announces nothing. */
export interface Announcement {
  readonly channel: string;
  readonly publish: PublishCommand | '';
}

export const announcementOn = (commands: ScriptExecutor, channel: string, silent = false): Announcement => ({
  channel,
  publish: silent ? '' : commands.publishCommand(channel),
});
