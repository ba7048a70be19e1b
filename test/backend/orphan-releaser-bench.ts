import { type OrphanedAcquisition, OrphanReleaser } from '../../lib/backend/commands/orphan-releaser.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { unavailable } from './scripted-commands.js';

/** A release in flight, which the test answers. */
export interface SentRelease {
  readonly name: string;
  readonly at: number;
  /** Confirms the release: at this time of its clock the server has no hold of the owner any more. */
  readonly confirm: (serverTime: number) => void;
  readonly fail: (error: unknown) => void;
}

export type AnswerTo = (release: SentRelease) => void;

/** The error that made the acquisitions orphans. */
export const CAUSE = unavailable('unknown', 'no reply');
export const PASSING = unavailable('refused', 'LOADING');
export const PERMANENT = unavailable('refused', 'NOPERM', true);

/** A releaser of orphaned acquisitions on a manual clock. The test answers its releases. */
export class OrphanReleaserBench {
  readonly clock = new ManualClock();
  readonly scheduler = new MonotonicScheduler(this.clock, () => {});
  /** The releases without an answer, in the order in which they were sent. */
  readonly open: SentRelease[] = [];
  readonly sentAt: number[] = [];
  readonly givenUp: { readonly name: string; readonly error: unknown; readonly at: number }[] = [];
  /** The answer to each release as soon as it is sent. Without it the releases stay open. */
  answer: AnswerTo | undefined;
  readonly releaser = new OrphanReleaser<OrphanedAcquisition>(
    this.scheduler,
    ({ name }) => this.send(name),
    ({ name }, error) => void this.givenUp.push({ name, error, at: this.clock.now() }),
  );

  release({ name = 'n', lease = 30_000, notAfter = 1000 } = {}): void {
    this.releaser.releaseInBackground({ name, owner: `owner of ${name}`, lease, notAfter }, CAUSE);
  }

  /** The oldest release without an answer. */
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
