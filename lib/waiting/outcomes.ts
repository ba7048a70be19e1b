import { LockUnavailableError } from '../errors.js';
import type { WaitLimit } from '../time/wait-limit.js';
import type { WaitDependencies } from './acquirer.js';
import type { Busy, LastOutcome } from './attempt-strategy.js';

/**
 * The outcomes of the attempts for one name. The last one tells how to go on; at the end of a wait it counts only if the
 * server has been silent for long enough, since every server pauses now and then.
 */
export class Outcomes {
  private latest: LastOutcome;
  private answer: Busy | undefined;
  /** When the first attempt since that answer was sent. */
  private askedAt: number | undefined;
  /** The number of attempts since then that were not answered. */
  unanswered = 0;

  constructor(private readonly waiting: Pick<WaitDependencies, 'scheduler' | 'commandTimeout'>) {}

  get last(): LastOutcome {
    return this.latest;
  }

  set last(outcome: LastOutcome) {
    this.latest = outcome;
    if (outcome instanceof LockUnavailableError) {
      this.unanswered += 1;
      return;
    }
    this.answer = outcome;
    this.askedAt = undefined;
    this.unanswered = 0;
  }

  /** Called before an attempt is sent. */
  asking(): void {
    this.askedAt ??= this.waiting.scheduler.now();
  }

  /**
   * The outcome that tells why a wait ended in vain: the last answer, unless the server had then been asked for as long as
   * a command may take, and had not answered.
   */
  atEndOf({ startedAt, wait }: WaitLimit): LastOutcome {
    const { latest, answer, askedAt, waiting } = this;
    if (!(latest instanceof LockUnavailableError)) return latest;
    const end = Math.min(waiting.scheduler.now(), startedAt + wait);
    const isSilent = askedAt !== undefined && end - askedAt >= waiting.commandTimeout;
    return isSilent || !answer ? latest : answer;
  }
}
