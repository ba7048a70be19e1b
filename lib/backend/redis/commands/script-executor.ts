import type { BackendListener } from '../../lock-backend.js';
import type { Replicas } from './replica-confirmation.js';
import type { Written } from './written.js';
import type { ArgumentsOf, KeysOf, ReplyOf, Script } from '../scripts/script.js';

/** The command by which a change is announced: to every server, or to the shard of the channel. */
export type PublishCommand = 'PUBLISH' | 'SPUBLISH';

/**
 * Sends scripts to where their keys live: to one server, or to the right one of a cluster. Each has a deadline of our
 * own: ioredis neither cancels a command nor bounds every wait. A reply that comes after the deadline is never taken for
 * a success.
 */
export interface ScriptExecutor {
  /** The longest deadline of one command, ms. */
  readonly commandTimeout: number;
  /**
   * How long a command about a lease may take: short enough that a reply in time leaves most of the lease, and that a
   * server which was replaced meanwhile cannot answer in time.
   */
  timeoutFor(lease: number): number;
  /** Whether commands about `key` can be sent now; otherwise {@link whenConnected} waits for that, or says why not. */
  isConnected(key: string): boolean;
  /**
   * Resolves once commands about `key` can be sent; `LockUnavailableError` (`not-sent`) when that is not so by
   * `deadline`.
   */
  whenConnected(deadline: number, key: string, name?: string): Promise<void>;
  /** What time it is where `key` lives, estimated; never ahead. */
  serverTime(key: string): number;
  /**
   * The instant from which a request about `key` is refused that was told `notAfter`, by whichever clock of a server that
   * it may be sent on to is furthest ahead.
   */
  latest(key: string, notAfter: number): number;
  /** Keys of one shard may be named in one command. */
  shardOf(key: string): number;
  /** By which command something is said on a channel. Known once it is {@link whenConnected}. */
  publishCommand(channel: string): PublishCommand;
  /**
   * Runs a script before `deadline`, an instant of the scheduler. Call {@link whenConnected} first. Rejects with
   * `LockUnavailableError` (`refused`) where the script grants something and the server that is to do so may have
   * forgotten earlier grants.
   */
  run<S extends Script>(
    script: S,
    keys: KeysOf<S>,
    args: ArgumentsOf<S>,
    deadline: number,
    name?: string,
  ): Promise<ReplyOf<S>>;
  /**
   * Resolves with how many replicas have what was written, once those are enough or the time for that is over.
   * @throws LockUnavailableError where nobody can tell.
   */
  replicasWith(written: Written, replicas: Replicas): Promise<number>;
  /** Tells `watcher` from now on what becomes of the servers. */
  watch(watcher: BackendListener): void;
  /** Refuses everything from now on, for this reason. */
  refuse(reason: Error): void;
  open(): void;
  /** @param ms The longest that this may take. Default: half a second. */
  close(ms?: number): Promise<void>;
}
