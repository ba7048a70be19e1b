import { LockUnavailableError } from '../../../errors.js';
import { runOutsideContexts } from '../../../context/owner-context.js';
import type { MonotonicScheduler } from '../../../time/scheduler.js';
import { RedisConnection } from '../../connection/redis-connection.js';
import type { ServerTarget } from '../../connection/target.js';
import { rawReply, withDeadline } from '../../connection/with-deadline.js';
import {
  isAppendOnlyOff,
  isCommandMissing,
  isScriptMissing,
  unavailable,
  unexpectedReply,
} from '../../connection/reply-errors.js';
import { isReplyOf, scriptHash } from '../../scripts/script.js';
import { scripts } from '../../scripts/scripts.generated.js';
import type { Written } from '../written.js';

/** Number of replicas that must have a write, and the limit for that, ms. */
export interface Replicas {
  readonly min: number;
  readonly timeout: number;
  /** Whether they, and the master, must have it on disk. Absent: no. */
  readonly aof?: boolean;
}

interface ConfirmationRequest extends Replicas {
  readonly written: Written;
  /** Whether the slot of the key is migrating to this server, which serves the key only after ASKING. */
  readonly asking: boolean;
  readonly resolve: (replicas: number) => void;
  readonly reject: (error: unknown) => void;
}

interface Confirmation {
  readonly replicas: number;
  /** For each request whether the server still has the write, or the error that it replied. */
  readonly found: readonly PromiseSettledResult<boolean>[];
}

const WAIT_MISSING =
  'the server does not have the command WAIT; leave out the option "replicas", or use a server that has it';
const WAITAOF_MISSING =
  'the server does not have the command WAITAOF; leave out the option "replicas.aof", or use Redis 7.2 or Valkey';
const APPEND_ONLY_OFF =
  'the server writes no append-only file; set "appendonly yes" on it, or leave out the option "replicas.aof"';

/** The error for a refused WAIT or WAITAOF. It is permanent if another attempt cannot help. */
const waitRefused = (aof: boolean, cause: unknown): unknown => {
  const permanent = (text: string) => new LockUnavailableError(text, 'refused', true, { cause });
  if (isCommandMissing(cause)) return permanent(aof ? WAITAOF_MISSING : WAIT_MISSING);
  return isAppendOnlyOff(cause) ? permanent(APPEND_ONLY_OFF) : cause;
};

/**
 * Finds out how many replicas have a write. Uses a connection of its own, since WAIT blocks every command behind it;
 * requests that arrive meanwhile share the next WAIT.
 */
export class ReplicaConfirmation {
  private readonly connection: RedisConnection;
  private readonly requests: ConfirmationRequest[] = [];
  private busy = false;

  constructor(
    target: ServerTarget,
    private readonly commandTimeout: number,
    private readonly scheduler: MonotonicScheduler,
  ) {
    this.connection = new RedisConnection(target, 'replication', commandTimeout, scheduler, {
      prepare: () => Promise.resolve(),
    });
  }

  /**
   * Resolves with the number of replicas that have the write, as soon as it suffices or the time for it is over; with 0
   * if the server itself does not have it any more.
   * @throws LockUnavailableError if the number cannot be found out.
   */
  replicasWith(written: Written, replicas: Replicas, asking = false): Promise<number> {
    return new Promise((resolve, reject) => {
      this.requests.push({ ...replicas, written, asking, resolve, reject });
      void runOutsideContexts(() => this.confirmAll());
    });
  }

  close(ms?: number): Promise<void> {
    return this.connection.close(ms);
  }

  private async confirmAll(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    while (this.requests.length > 0) await this.confirm(this.requests.splice(0));
    this.busy = false;
  }

  private async confirm(requests: readonly ConfirmationRequest[]): Promise<void> {
    const min = Math.max(...requests.map((request) => request.min));
    const timeout = Math.max(...requests.map((request) => request.timeout));
    try {
      await this.ready();
      const deadline = this.scheduler.now() + timeout + this.commandTimeout;
      const asked = this.writeAndWait(requests, min, timeout);
      const { replicas, found } = await withDeadline(asked, deadline, this.scheduler, rawReply());
      requests.forEach(({ resolve, reject }, index) => {
        const one = found[index];
        // In a cluster one key may have moved to another server while the others have not.
        if (one?.status === 'rejected') reject(unavailable(undefined, one.reason));
        else resolve(one?.value === true ? replicas : 0);
      });
    } catch (error) {
      // Later requests must not wait behind one that is not answered.
      if (error instanceof LockUnavailableError && error.outcome === 'unknown') this.connection.reconnect();
      for (const { reject } of requests) reject(error);
    }
  }

  private async writeAndWait(
    requests: readonly ConfirmationRequest[],
    min: number,
    timeout: number,
  ): Promise<Confirmation> {
    const answer = await this.send('evalsha', requests, min, timeout);
    const isMissing = answer.found.some((one) => one.status === 'rejected' && isScriptMissing(one.reason));
    return isMissing ? this.send('eval', requests, min, timeout) : answer;
  }

  /**
   * Sends all commands in one event-loop turn and so over one connection: WAIT covers only earlier writes of its own
   * connection.
   */
  private async send(
    how: 'evalsha' | 'eval',
    requests: readonly ConfirmationRequest[],
    min: number,
    timeout: number,
  ): Promise<Confirmation> {
    const { connection } = this;
    const writes = requests.map(async ({ written: { text, keyCount, parameters }, asking }) => {
      const announced = asking ? connection.send(['ASKING']) : undefined;
      const written = connection.send([
        how,
        how === 'evalsha' ? scriptHash(text) : text,
        String(keyCount),
        ...parameters,
      ]);
      const [reply] = await Promise.all([written, announced]);
      if (isReplyOf(scripts.replication.confirmHold, reply)) return reply[0] === 'held';
      throw unexpectedReply(reply);
    });
    const aof = requests.some((request) => request.aof);
    const waited = (
      aof ? this.waitForDisks(min, timeout) : connection.send(['WAIT', String(min), String(timeout)])
    ).catch((error: unknown) => {
      throw waitRefused(aof, error);
    });
    const [replicas, found] = await Promise.all([waited, Promise.allSettled(writes)]);
    if (typeof replicas !== 'number') throw unexpectedReply(replicas);
    return { replicas, found };
  }

  /** Resolves with the number of replicas that have the write on disk; with 0 if the server itself does not. */
  private async waitForDisks(min: number, timeout: number): Promise<number> {
    const reply = await this.connection.send(['WAITAOF', '1', String(min), String(timeout)]);
    const [own, replicas]: readonly unknown[] = Array.isArray(reply) ? reply : [];
    if (typeof own !== 'number' || typeof replicas !== 'number') throw unexpectedReply(reply);
    return own > 0 ? replicas : 0;
  }

  private async ready(): Promise<void> {
    if (this.connection.isReady) return;
    this.connection.open();
    if (await this.connection.whenReady(this.commandTimeout)) return;
    throw this.connection.unavailable(undefined, this.commandTimeout);
  }
}
