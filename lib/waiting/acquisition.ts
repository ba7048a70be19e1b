import type { WakeUps } from '../backend/lock-backend.js';
import type { SteadyScheduler } from '../time/steady-scheduler.js';
import type { Acquired, Attempts } from './attempt.js';
import { Contention, type Polling } from './contention.js';
import { type Asked, conflict, refusal } from './refusal.js';

/** Takes locks for new owners: by one try, or by waiting in the line of everybody in this process who wants the same. */
export class Acquisitions {
  private readonly contentions = new Map<string, Contention>();

  constructor(
    private readonly attempts: Attempts,
    private readonly wakeUps: WakeUps,
    private readonly scheduler: SteadyScheduler,
    private readonly polling: Polling,
  ) {}

  /**
   * @param channel Where releases of this lock are announced.
   * @param lease Milliseconds to ask the server for.
   * @throws LockConflictError, LockTimeoutError, LockAbortedError, LockShutdownError, LockUnavailableError,
   *   WrongKeyTypeError – with nothing left behind.
   */
  async acquire(asked: Asked, channel: string, lease: number): Promise<Acquired> {
    const { ended } = asked.limit;
    if (ended?.cause === 'aborted') throw refusal(asked, ended, undefined);
    return ended ? this.tryOnce(asked, lease) : this.contention(asked.name, channel).enter(asked, lease);
  }

  private async tryOnce(asked: Asked, lease: number): Promise<Acquired> {
    const { name, limit } = asked;
    const result = await this.attempts.acquire(name, lease);
    const { ended } = limit;
    if (ended?.cause === 'aborted') {
      // The signal came while the only try was on its way.
      if ('owner' in result) this.attempts.giveBack(name, result);
      throw refusal(asked, ended, undefined);
    }
    if ('owner' in result) return result;
    throw limit.wait === 0 ? conflict(asked, result) : refusal(asked, { cause: 'elapsed' }, result);
  }

  /** Resolves when no try is on its way: what was asked for is granted, refused or given back. */
  settled(): Promise<void> {
    return this.attempts.settled();
  }

  /** How many locks somebody here waits for. */
  get contended(): number {
    return this.contentions.size;
  }

  private contention(name: string, channel: string): Contention {
    let contention = this.contentions.get(name);
    if (!contention) {
      const forget = (): void => void this.contentions.delete(name);
      contention = new Contention(name, channel, this.attempts, this.wakeUps, this.scheduler, this.polling, forget);
      this.contentions.set(name, contention);
    }
    return contention;
  }
}
