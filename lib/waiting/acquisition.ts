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
    const { name, limit } = asked;
    const ended = limit.ended;
    if (ended && (limit.wait > 0 || limit.aborted)) throw refusal(asked, ended, undefined);
    if (limit.wait > 0) return this.contention(name, channel).enter(asked, lease);
    const result = await this.attempts.acquire(name, lease);
    if (!('owner' in result)) throw conflict(asked, result);
    const aborted = limit.ended;
    if (aborted?.cause !== 'aborted') return result;
    // The signal came while the only try was on its way.
    this.attempts.giveBack(name, result);
    throw refusal(asked, aborted, undefined);
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
