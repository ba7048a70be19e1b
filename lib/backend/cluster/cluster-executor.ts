import { LockUnavailableError } from '../../errors.js';
import { hashSlot } from '../../keys/hash-slot.js';
import type { MonotonicScheduler } from '../../time/scheduler.js';
import type { BackendListener } from '../backend-listener.js';
import { type PublishCommand, type ScriptExecutor, timeoutWithin } from '../commands/script-executor.js';
import type { NodeExecutor } from '../commands/node-executor.js';
import type { Replicas } from '../commands/replication/replica-confirmation.js';
import type { Written } from '../commands/written.js';
import { isUnknown } from '../commands/deadline-request.js';
import type { ArgumentsOf, KeysOf, NamedKeys, ReplyOf, Script } from '../scripts/script.js';
import type { ClusterTopology } from './cluster-topology.js';
import { isErrorReply, isTryAgain } from '../connection/reply-errors.js';
import { sharesShard } from '../../keys/redisson-keys.js';

/** The server to which a cluster redirects a request for a key. */
type Redirection =
  /** Permanent: the slot is served there. */
  | { readonly kind: 'moved'; readonly slot: number; readonly host: string; readonly port: number }
  /** For this key and this time: it is migrating to that server. */
  | { readonly kind: 'ask'; readonly host: string; readonly port: number }
  /**
   * No server yet: some of the keys are migrating. Nothing was done, unless a script was aborted; its effects can be
   * repeated.
   */
  | { readonly kind: 'try-again' };

const ELSEWHERE = /\b(MOVED|ASK) (\d+) (\S*):(\d+)/;

/** The redirection in the error of a failed command, if there is one. */
export const redirectionIn = (error: unknown): Redirection | undefined => {
  if (isTryAgain(error)) return { kind: 'try-again' };
  const { cause } = error instanceof Error ? error : {};
  if (!(cause instanceof Error && isErrorReply(cause))) return undefined;
  const [, word, slot, host = '', port] = ELSEWHERE.exec(cause.message) ?? [];
  if (word === undefined) return undefined;
  if (word === 'ASK') return { kind: 'ask', host, port: Number(port) };
  return { kind: 'moved', slot: Number(slot), host, port: Number(port) };
};

/** Pause before migrating keys are requested again, ms. */
const TRY_AGAIN_PAUSE_MS = 20;

const firstKey = (keys: NamedKeys): string => {
  const [first] = Object.values(keys).flat();
  if (first === undefined) throw new TypeError('A script needs at least one key to be routed in a cluster');
  return first;
};

/** Whether the caller can send at once, key by key, what a migrating slot refuses for several keys together. */
const isForEach = ({ kind }: Redirection, keys: NamedKeys): boolean =>
  kind === 'try-again' && Object.values(keys).some((list) => typeof list === 'object' && list.length > 1);

/** The server that a command goes to next. */
interface Destination {
  readonly node: NodeExecutor;
  /** Whether the keys are still migrating to it. */
  readonly asking: boolean;
}

/**
 * {@link ScriptExecutor} on a cluster: sends each script to the server of its keys. Follows redirections itself, within
 * the deadline of the command, so that nothing is sent after its caller was told of a failure.
 */
export class ClusterExecutor implements ScriptExecutor {
  /** The error with which every command is refused, if any. */
  refusal: Error | undefined;

  constructor(
    private readonly topology: ClusterTopology,
    readonly commandTimeout: number,
    private readonly scheduler: MonotonicScheduler,
  ) {}

  timeoutFor(lease: number): number {
    return timeoutWithin(this.commandTimeout, lease);
  }

  async whenConnected(deadline: number, key: string, name = key): Promise<void> {
    if (this.refusal) throw this.refusal;
    await this.topology.whenKnown(deadline, name);
    let node = this.topology.nodeFor(key);
    while (node) {
      try {
        await node.whenConnected(deadline, key, name);
        break;
      } catch (error) {
        this.topology.refreshSoon();
        const next = this.topology.nodeFor(key);
        // Another server may have taken over during the wait.
        if (next === node || this.scheduler.now() >= deadline) throw error;
        node = next;
      }
    }
    if (this.refusal) throw this.refusal;
    if (!node) throw this.unserved(name);
  }

  isConnected(key: string): boolean {
    return this.refusal === undefined && (this.topology.nodeFor(key)?.isConnected() ?? false);
  }

  turn(key: string, name?: string): Promise<void> | undefined {
    return this.topology.nodeFor(key)?.turn(key, name);
  }

  serverTime(key: string, now?: number): number {
    return this.topology.nodeFor(key)?.serverTime(key, now) ?? Number.NEGATIVE_INFINITY;
  }

  longestSince(key: string, serverTime: number): number | undefined {
    return this.topology.nodeFor(key)?.longestSince(key, serverTime);
  }

  knowsReceivers(): boolean {
    return !this.topology.isKnown || this.topology.isSharded;
  }

  mayGrant(key: string): boolean {
    return this.topology.nodeFor(key)?.mayGrant() ?? false;
  }

  latest(key: string, notAfter: number): number {
    const here = this.serverTime(key);
    const ahead = this.topology.connected.map((node) => node.serverTime() - here);
    return notAfter + Math.max(0, ...ahead.filter(Number.isFinite));
  }

  shardOf(key: string): number {
    return hashSlot(key);
  }

  publishCommand(channel: string): PublishCommand {
    return this.topology.isSharded && sharesShard(channel) ? 'SPUBLISH' : 'PUBLISH';
  }

  async replicasWith(written: Written, replicas: Replicas): Promise<number> {
    const { node } = this.masterFor(written.key, written.key);
    try {
      return await node.replicasWith(written, replicas);
    } catch (error) {
      const redirection = redirectionIn(error);
      if (!redirection) throw error;
      const deadline = this.scheduler.now() + this.commandTimeout;
      const target = await this.follow(redirection, node, written.key, deadline, undefined);
      return target.node.replicasWith(written, replicas, target.asking);
    }
  }

  async masters(deadline: number): Promise<readonly NodeExecutor[]> {
    if (this.refusal) throw this.refusal;
    await this.topology.whenKnown(deadline);
    return [...this.topology.masters].map((address) => this.topology.nodeAt(address));
  }

  watch(listener: BackendListener): void {
    this.topology.watch(listener);
  }

  refuse(reason: Error): void {
    this.refusal = reason;
  }

  open(): void {
    this.topology.refreshSoon();
  }

  close(ms?: number): Promise<void> {
    return this.topology.close(ms);
  }

  async run<S extends Script>(
    script: S,
    keys: KeysOf<S>,
    args: ArgumentsOf<S>,
    deadline: number,
    name?: string,
  ): Promise<ReplyOf<S>> {
    const key = firstKey(keys);
    let { node, asking } = this.masterFor(key, name);
    let timed = args;
    let brokenOff: unknown;
    for (;;) {
      try {
        return await node.run(script, keys, timed, deadline, name, asking);
      } catch (error) {
        // The refusal of a later attempt tells nothing about the effect of this one.
        if (isUnknown(error)) brokenOff ??= error;
        const redirection = redirectionIn(error);
        if (!redirection || isForEach(redirection, keys) || this.scheduler.now() >= deadline) {
          this.topology.refreshSoon();
          throw brokenOff ?? error;
        }
        const from = node;
        ({ node, asking } = await this.follow(redirection, from, key, deadline, name));
        timed = this.retimed(timed, from, node);
      }
    }
  }

  private async follow(
    redirection: Redirection,
    from: NodeExecutor,
    key: string,
    deadline: number,
    name: string | undefined,
  ): Promise<Destination> {
    if (redirection.kind === 'ask') {
      const node = this.topology.nodeAt(this.topology.resolveAddress(from, redirection.host, redirection.port));
      await node.whenConnected(deadline, key, name);
      return { node, asking: true };
    }
    if (redirection.kind === 'try-again') await this.scheduler.pause(TRY_AGAIN_PAUSE_MS, { keepAlive: true });
    else this.topology.moved(redirection.slot, this.topology.resolveAddress(from, redirection.host, redirection.port));
    await this.whenConnected(deadline, key, name);
    return this.masterFor(key, name);
  }

  /** The same arguments for another server, whose clock may differ: `notAfter` converted to its clock. */
  private retimed<A extends Readonly<Record<string, unknown>>>(args: A, from: NodeExecutor, to: NodeExecutor): A {
    const { notAfter } = args;
    if (typeof notAfter !== 'number' || from === to) return args;
    return { ...args, notAfter: Math.floor(notAfter + to.serverTime() - from.serverTime()) };
  }

  private masterFor(key: string, name: string | undefined): Destination {
    const node = this.topology.nodeFor(key);
    if (!node) throw this.unserved(name);
    return { node, asking: false };
  }

  private unserved(name: string | undefined): Error {
    this.topology.refreshSoon();
    const text = 'No server of the Redis Cluster serves the slot of the lock now';
    return new LockUnavailableError(text, 'not-sent', false, { lockName: name });
  }
}
