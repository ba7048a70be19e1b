import { LockUnavailableError } from '../../../errors.js';
import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import { RedisConnection } from '../connection/redis-connection.js';
import type { ServerInput } from '../connection/connection-input.js';
import { rawReply, withDeadline } from '../connection/command-deadline.js';
import { isCommandMissing, isScriptMissing, unavailable, unexpectedReply } from '../connection/reply-errors.js';
import { isReplyOf, scriptHash } from '../scripts/script.js';
import { scripts } from '../scripts/scripts.generated.js';
import type { Written } from './written.js';

/** How many replicas must have something, and how long that may take, ms. */
export interface Replicas {
  readonly min: number;
  readonly timeout: number;
}

interface ConfirmationRequest extends Replicas {
  readonly written: Written;
  /** Whether the key is just on its way to this server, which serves it only to those who know. */
  readonly asking: boolean;
  readonly resolve: (replicas: number) => void;
  readonly reject: (error: unknown) => void;
}

interface Answer {
  readonly replicas: number;
  /** For each question whether the server still has it, or why it does not say. */
  readonly found: readonly PromiseSettledResult<boolean>[];
}

/** Asking again cannot help. */
const noWait = (cause: unknown): LockUnavailableError =>
  new LockUnavailableError(
    'the server does not have the command WAIT; leave out the option "replicas", or use a server that has it',
    'refused',
    true,
    { cause },
  );

/**
 * Finds out how many replicas have what was written. On a connection of its own, since WAIT lets everything wait that comes
 * behind it; what is asked meanwhile shares the next WAIT.
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
   * Resolves with how many replicas have it, as soon as those are enough, or when the time for that is over;
   * with 0 where the server does not have it itself any more.
   * @throws LockUnavailableError where nobody can tell.
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
        // In a cluster one key may have left this server, and the others not.
        if (one?.status === 'rejected') reject(unavailable(undefined, one.reason));
        else resolve(one?.value === true ? replicas : 0);
      });
    } catch (error) {
      // Whoever comes next must not wait behind what is not answered.
      if (error instanceof LockUnavailableError && error.outcome === 'unknown') this.connection.reconnect();
      for (const { reject } of questions) reject(error);
    }
  }

  private async writeAndWait(questions: readonly ConfirmationRequest[], min: number, timeout: number): Promise<Answer> {
    const answer = await this.send('evalsha', questions, min, timeout);
    const isMissing = answer.found.some((one) => one.status === 'rejected' && isScriptMissing(one.reason));
    return isMissing ? this.send('eval', questions, min, timeout) : answer;
  }

  /** All in one turn and so over one connection: a WAIT knows only of what was written before it on its own. */
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
