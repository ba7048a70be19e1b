import { LockUnavailableError, LockKeyTypeError } from '../../lib/errors.js';
import type { Scheduler } from '../../lib/time/scheduler.js';
import type { AttemptStrategy, Busy, AttemptResult, Take } from '../../lib/waiting/attempt-strategy.js';

/** The grant of an attempt. */
export interface Thing {
  readonly id: number;
}

/** An attempt that the test answers. */
export interface SentAttempt {
  readonly wanted: number;
  readonly busy: (found?: Partial<Busy>) => void;
  readonly grant: (id: number) => void;
  readonly fail: (error: Error) => void;
}

/** An error after which the queue makes another attempt. */
export const noReply = (): LockUnavailableError => new LockUnavailableError('no reply', 'unknown', false);

/** The name of a reply in the tables of tests. */
export type Reply = 'granted' | 'busy' | 'no reply' | 'no permission' | 'wrong type';

/** Answers an attempt with thing 1, with a holder `them` for 7 s, or with an error. */
export const reply = (attempt: SentAttempt, what: Reply): void => {
  if (what === 'granted') attempt.grant(1);
  else if (what === 'busy') attempt.busy({ holder: 'them', remaining: 7000 });
  else if (what === 'no reply') attempt.fail(noReply());
  else if (what === 'no permission') attempt.fail(new LockUnavailableError('NOPERM', 'refused', true));
  else attempt.fail(new LockKeyTypeError('a hash'));
};

/** Attempts that the test answers, in the order in which they were made. */
export class ScriptedAttempts implements AttemptStrategy<number, Thing> {
  readonly unanswered: SentAttempt[] = [];
  /** The wishes of all attempts so far. */
  readonly sent: number[] = [];
  /** The instants of all attempts so far, ms. */
  readonly instants: number[] = [];
  readonly undone: number[] = [];
  isShared = false;
  hearsLeases = false;
  afterGrant: Busy | undefined = { remaining: -1 };
  /** How much a grant leaves for other waiters. */
  left = 0;
  /** Whether a thing can be handed over. */
  canTransfer = true;
  /** Whether a waiter with this wish may succeed in spite of this outcome. */
  mayStillSucceed = (_wanted: number, _found: Busy): boolean => false;

  constructor(private readonly clock: Pick<Scheduler, 'now'>) {}

  attempt(_name: string, wanted: number): Promise<AttemptResult<Thing>> {
    this.sent.push(wanted);
    this.instants.push(this.clock.now());
    return new Promise((resolve, reject) => {
      this.unanswered.push({
        wanted,
        busy: (found) => resolve({ remaining: -1, ...found }),
        grant: (id) => resolve({ got: { id } }),
        fail: reject,
      });
    });
  }

  undo(_name: string, { id }: Thing): void {
    this.undone.push(id);
  }

  transfer(got: Thing): Thing | undefined {
    return this.canTransfer ? got : undefined;
  }

  outcomeAfterGrant(): Busy | undefined {
    return this.afterGrant;
  }

  leftAfter(): Take<number> {
    let { left } = this;
    return (wanted) => {
      left -= wanted;
      return left >= 0;
    };
  }

  async settled(): Promise<void> {}
}
