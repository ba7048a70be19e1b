import { type LockLogger, inParentheses, listed, quoted, seconds } from '../events/event-log.js';
import type { ConnectionRegistry } from '../runtime/connection-registry.js';
import type { Grant } from '../holds/grant.js';
import { LockShutdownError } from '../errors.js';
import type { OwnedRuntime } from './runtime.factory.js';

/** Time for holders to release after their signals have aborted: share of the shutdown time-out, and maximum in ms. */
const GRACE = 1 / 5;
const LONGEST_GRACE_MS = 500;
/** Longest time to undo open acquisitions and close connections, ms. */
const LONGEST_CLOSE_MS = 1000;

/** Shuts down all connections of a module, under one deadline. */
export class ShutdownDrain {
  private readonly runtimes: readonly OwnedRuntime[];
  private readonly scheduler: OwnedRuntime['scheduler'];
  private readonly grace: number;
  /** End of the shutdown time-out, by the scheduler's clock. */
  private end = Number.POSITIVE_INFINITY;
  private draining: Promise<void> | undefined;

  constructor(
    { all, base }: ConnectionRegistry<OwnedRuntime>,
    private readonly shutdownTimeout: number,
    private readonly log: Pick<LockLogger, 'warn'>,
  ) {
    this.runtimes = all;
    this.scheduler = base.scheduler;
    this.grace = Math.min(LONGEST_GRACE_MS, shutdownTimeout * GRACE);
  }

  /**
   * Refuses new acquisitions and rejects waiters from now on. Resolves when nothing is held any more, or when the
   * holders' time is over.
   */
  drain(): Promise<void> {
    return (this.draining ??= this.begin());
  }

  /** Closes the library's own connections within the rest of the time-out. */
  async close(): Promise<void> {
    const left = Math.max(0, this.end - this.scheduler.now());
    await this.closeWithin(Math.min(LONGEST_CLOSE_MS, left));
  }

  /** Closes the connections of an application that did not start, for which Nest calls no shutdown hooks. */
  async closeWithin(ms: number): Promise<void> {
    for (const { watchdog } of this.runtimes) watchdog.stop();
    await Promise.all(this.runtimes.map((runtime) => runtime.close(ms)));
  }

  private async begin(): Promise<void> {
    const { shutdownTimeout, grace } = this;
    this.end = this.scheduler.now() + shutdownTimeout;
    const reason = new LockShutdownError('The application is shutting down; no more locks are granted');
    for (const { shutdownController } of this.runtimes) shutdownController.abort(reason);
    if (await this.emptyWithin(shutdownTimeout - 2 * grace)) return;
    for (const { grants, permitsOut } of this.runtimes) {
      for (const grant of grants) grant.abort(reason);
      for (const permit of permitsOut) permit.abort(reason);
    }
    if (await this.emptyWithin(grace)) return;
    this.logWhatIsHeld();
  }

  private logWhatIsHeld(): void {
    const held = this.runtimes.flatMap(({ grants }) => [...grants]);
    const permits = this.runtimes.reduce((sum, { permitsInUse }) => sum + permitsInUse.size, 0);
    const remedy = 'stop such work when hold.signal aborts, or raise shutdownTimeout';
    const when = `when shutdownTimeout of ${seconds(this.shutdownTimeout)} is over`;
    if (held.length > 0) {
      const left = Math.max(...held.map(({ lease }) => lease.remaining), 0);
      this.log.warn(
        `This process still holds ${held.length} lock(s) ${when}: ${listed(held.map(heldText))}. Each is released if its work ends ` +
          `before the connections close; otherwise its lease ends it, in ${seconds(Math.ceil(left))} at the latest; ${remedy}`,
      );
    }
    if (permits === 0) return;
    this.log.warn(
      `This process still uses permits of semaphores ${when}, in ${permits} call(s). Permits that are not released ` +
        `before the connections close remain missing; ${remedy}`,
    );
  }

  private emptyWithin(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = this.scheduler.schedule(ms, () => resolve(false), { keepAlive: true });
      void Promise.all(this.runtimes.map(whenEmpty)).then(() => {
        timer.cancel();
        resolve(true);
      });
    });
  }
}

const heldText = ({ name, origin, heldFor }: Grant): string =>
  `${quoted(name)}${inParentheses(origin ?? {}, name, `for ${seconds(heldFor)}`)}`;

const whenEmpty = async ({ acquirer, attaching, grants, permitsInUse }: OwnedRuntime): Promise<void> => {
  // Attempts in flight may still be granted, and late grants are released again.
  await acquirer.settled();
  await attaching.settled();
  await grants.whenEmpty();
  await permitsInUse.settled();
  await acquirer.settled();
};
