import { LockUnavailableError } from '../../errors.js';
import type { SteadyScheduler } from '../../time/steady-scheduler.js';
import { RedisConnection } from './connection.js';
import type { ServerInput } from './connection-input.js';
import { asIs, inTime } from './in-time.js';
import { isCommandMissing, isScriptMissing, unexpectedReply } from './replies.js';
import { scriptHash } from './script-hash.js';
import { isReplyOf } from './scripts/script.js';
import { scripts } from './scripts/scripts.generated.js';
import type { Written } from './written.js';

/** How many replicas must have something, and how long that may take, ms. */
export interface Replicas {
  readonly min: number;
  readonly timeout: number;
}

interface Question extends Replicas {
  readonly written: Written;
  readonly resolve: (replicas: number) => void;
  readonly reject: (error: unknown) => void;
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
export class Replication {
  private readonly connection: RedisConnection;
  private readonly questions: Question[] = [];
  private busy = false;

  constructor(
    input: ServerInput,
    private readonly commandTimeout: number,
    private readonly scheduler: SteadyScheduler,
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
  knownBy(written: Written, replicas: Replicas): Promise<number> {
    return new Promise((resolve, reject) => {
      this.questions.push({ ...replicas, written, resolve, reject });
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

  private async answer(questions: readonly Question[]): Promise<void> {
    const min = Math.max(...questions.map((question) => question.min));
    const timeout = Math.max(...questions.map((question) => question.timeout));
    try {
      await this.ready();
      const deadline = this.scheduler.now() + timeout + this.commandTimeout;
      const written = questions.map((question) => question.written);
      const { replicas, isHeld } = await inTime(
        this.writeAndWait(written, min, timeout),
        deadline,
        this.scheduler,
        asIs(),
      );
      questions.forEach(({ resolve }, index) => resolve(isHeld[index] ? replicas : 0));
    } catch (error) {
      // Whoever comes next must not wait behind what is not answered.
      if (error instanceof LockUnavailableError && error.outcome === 'unknown') this.connection.reconnect();
      for (const { reject } of questions) reject(error);
    }
  }

  private async writeAndWait(
    all: readonly Written[],
    min: number,
    timeout: number,
  ): Promise<{ readonly replicas: number; readonly isHeld: readonly boolean[] }> {
    const [replicas, ...replies] = await this.send('evalsha', all, min, timeout).catch((error: unknown) => {
      if (!isScriptMissing(error)) throw error;
      return this.send('eval', all, min, timeout);
    });
    if (typeof replicas !== 'number') throw unexpectedReply(replicas);
    const isHeld = replies.map((reply) => {
      if (isReplyOf(scripts.replication.confirmHold, reply)) return reply[0] === 'held';
      throw unexpectedReply(reply);
    });
    return { replicas, isHeld };
  }

  /** All in one turn and so over one connection: a WAIT knows only of what was written before it on its own. */
  private send(
    how: 'evalsha' | 'eval',
    all: readonly Written[],
    min: number,
    timeout: number,
  ): Promise<readonly unknown[]> {
    const { client } = this.connection;
    const writes = all.map(({ text, keyCount, parameters }) =>
      client[how](how === 'evalsha' ? scriptHash(text) : text, keyCount, ...parameters),
    );
    const waited = client.wait(min, timeout).catch((error: unknown) => {
      throw isCommandMissing(error) ? noWait(error) : error;
    });
    return Promise.all([waited, ...writes]);
  }

  private async ready(): Promise<void> {
    if (this.connection.isReady) return;
    this.connection.open();
    if (await this.connection.whenReady(this.commandTimeout)) return;
    throw this.connection.unavailable(undefined, this.commandTimeout);
  }
}
