import { LockUnavailableError } from '../../../errors.js';
import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import { RedisConnection } from '../connection/redis-connection.js';
import type { ServerInput } from '../connection/connection-input.js';
import { rawReply, withDeadline } from '../connection/command-deadline.js';
import { isCommandMissing, isScriptMissing, unavailable, unexpectedReply } from '../connection/reply-errors.js';
import { isReplyOf, scriptHash } from '../scripts/script.js';
import { scripts } from '../scripts/scripts.generated.js';
import type { Written } from './written.js';

/** Number of replicas that must have a write, and the limit for that, ms. */
export interface Replicas {
  readonly min: number;
  readonly timeout: number;
}

interface ConfirmationRequest extends Replicas {
  readonly written: Written;
  /** Whether the slot of the key is migrating to this server, which serves the key only after ASKING. */
  readonly asking: boolean;
  readonly resolve: (replicas: number) => void;
  readonly reject: (error: unknown) => void;
}

interface Answer {
  readonly replicas: number;
  /** For each request whether the server still has the write, or the error that it replied. */
  readonly found: readonly PromiseSettledResult<boolean>[];
}

/** Permanent: another attempt cannot help. */
const noWait = (cause: unknown): LockUnavailableError =>
  new LockUnavailableError(
    'the server does not have the command WAIT; leave out the option "replicas", or use a server that has it',
    'refused',
    true,
    { cause },
  );

/**
 * Finds out how many replicas have a write. Uses a connection of its own, since WAIT blocks every command behind it;
 * requests that arrive meanwhile share the next WAIT.
 */
export class ReplicaConfirmation {
  private readonly connection: RedisConnection;
  private readonly questions: ConfirmationRequest[] = [];
  private busy = false;

  constructor(
    input: ServerInput,
    private readonly commandTimeout: number,
    private readonly scheduler: MonotonicScheduler,
  ) {
    this.connection = new RedisConnection(input, 'replication', commandTimeout, scheduler, {
      prepare: () => Promise.resolve(),
    });
  }

  /**
   * Resolves with the number of replicas that have the write, as soon as it suffices or the time for it is over; with 0
   * if the server itself does not have it any more.
   * @throws LockUnavailableError if the number cannot be found out.
   */
  knownBy(written: Written, replicas: Replicas, asking = false): Promise<number> {
    return new Promise((resolve, reject) => {
      this.questions.push({ ...replicas, written, asking, resolve, reject });
      void this.work();
    });
  }

  close(ms?: number): Promise<void> {
    return this.connection.close(ms);
  }

  private async work(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    while (this.questions.length > 0) await this.answer(this.questions.splice(0));
    this.busy = false;
  }

  private async answer(questions: readonly ConfirmationRequest[]): Promise<void> {
    const min = Math.max(...questions.map((question) => question.min));
    const timeout = Math.max(...questions.map((question) => question.timeout));
    try {
      await this.ready();
      const deadline = this.scheduler.now() + timeout + this.commandTimeout;
      const asked = this.writeAndWait(questions, min, timeout);
      const { replicas, found } = await withDeadline(asked, deadline, this.scheduler, rawReply());
      questions.forEach(({ resolve, reject }, index) => {
        const one = found[index];
        // In a cluster one key may have moved to another server while the others have not.
        if (one?.status === 'rejected') reject(unavailable(undefined, one.reason));
        else resolve(one?.value === true ? replicas : 0);
      });
    } catch (error) {
      // Later requests must not wait behind one that is not answered.
      if (error instanceof LockUnavailableError && error.outcome === 'unknown') this.connection.reconnect();
      for (const { reject } of questions) reject(error);
    }
  }

  private async writeAndWait(questions: readonly ConfirmationRequest[], min: number, timeout: number): Promise<Answer> {
    const answer = await this.send('evalsha', questions, min, timeout);
    const isMissing = answer.found.some((one) => one.status === 'rejected' && isScriptMissing(one.reason));
    return isMissing ? this.send('eval', questions, min, timeout) : answer;
  }

  /**
   * Sends all commands in one event-loop turn and so over one connection: WAIT covers only earlier writes of its own
   * connection.
   */
  private async send(
    how: 'evalsha' | 'eval',
    questions: readonly ConfirmationRequest[],
    min: number,
    timeout: number,
  ): Promise<Answer> {
    const { client } = this.connection;
    const writes = questions.map(async ({ written: { text, keyCount, parameters }, asking }) => {
      const announced = asking ? client.asking() : undefined;
      const written = client[how](how === 'evalsha' ? scriptHash(text) : text, keyCount, ...parameters);
      const [reply] = await Promise.all([written, announced]);
      if (isReplyOf(scripts.replication.confirmHold, reply)) return reply[0] === 'held';
      throw unexpectedReply(reply);
    });
    const waited = client.wait(min, timeout).catch((error: unknown) => {
      throw isCommandMissing(error) ? noWait(error) : error;
    });
    const [replicas, found] = await Promise.all([waited, Promise.allSettled(writes)]);
    if (typeof replicas !== 'number') throw unexpectedReply(replicas);
    return { replicas, found };
  }

  private async ready(): Promise<void> {
    if (this.connection.isReady) return;
    this.connection.open();
    if (await this.connection.whenReady(this.commandTimeout)) return;
    throw this.connection.unavailable(undefined, this.commandTimeout);
  }
}
