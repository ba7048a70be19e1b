import { OrphanReleaser, type OrphanedAcquisition } from '../../lib/backend/redis/commands/orphan-releaser.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/monotonic-scheduler.js';
import { unavailable } from './scripted-commands.js';

/** A release that is on its way until the test answers it. */
export interface SentRelease {
  readonly name: string;
  readonly at: number;
  /** The server had nothing of this owner any more at this time of its clock. */
  readonly confirm: (serverTime: number) => void;
  readonly fail: (error: unknown) => void;
}

export type AnswerTo = (release: SentRelease) => void;

/** Why the acquisitions are orphans. */
export const CAUSE = unavailable('unknown', 'no reply');
export const PASSING = unavailable('refused', 'LOADING');
export const PERMANENT = unavailable('refused', 'NOPERM', true);

/** A releaser of orphaned acquisitions whose releases the test answers, on a clock that the test moves. */
export class OrphanReleaserBench {
  readonly clock = new ManualClock();
  readonly scheduler = new MonotonicScheduler(this.clock, () => {});
  /** Not answered yet, in the order in which they were sent. */
  readonly open: SentRelease[] = [];
  readonly sentAt: number[] = [];
  readonly givenUp: { readonly name: string; readonly error: unknown; readonly at: number }[] = [];
  /** Answers each release as soon as it is sent. */
  answer: AnswerTo | undefined;
  readonly releaser = new OrphanReleaser<OrphanedAcquisition>(
    this.scheduler,
    ({ name }) => this.send(name),
    ({ name }, error) => void this.givenUp.push({ name, error, at: this.clock.now() }),
  );

  release({ name = 'n', lease = 30_000, notAfter = 1000 } = {}): void {
    this.releaser.releaseInBackground({ name, owner: `owner of ${name}`, lease, notAfter }, CAUSE);
  }

  /** The release that was sent first of those without an answer. */
  async next(): Promise<SentRelease> {
    await this.clock.advance(0);
    const next = this.open.shift();
    if (!next) throw new Error('No release is on its way');
    return next;
  }

  /** Releases an acquisition whose first release fails. */
  async failOnce(error: unknown, name = 'n'): Promise<void> {
    this.release({ name });
    (await this.next()).fail(error);
  }

  /** Whether no timer is left. */
  get isAtRest(): boolean {
    return this.clock.pending === 0;
  }

  private send(name: string): Promise<number> {
    const at = this.clock.now();
    this.sentAt.push(at);
    return new Promise((confirm, fail) => {
      const release = { name, at, confirm, fail };
      if (this.answer) this.answer(release);
      else this.open.push(release);
    });
  }
}
