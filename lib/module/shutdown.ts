import { type EventLog, listed, seconds } from '../events/event-logger.js';
import type { ConnectionRegistry } from '../runtime/connection-registry.js';
import type { Grant } from '../holds/grant.js';
import { LockShutdownError } from '../errors.js';
import type { OwnedRuntime } from './runtime.factory.js';

/** The share of the shutdown time-out, and the most of it, ms, in which holders whose signals have aborted may let go. */
const GRACE = 1 / 5;
const LONGEST_GRACE_MS = 500;
/** The most that undoing what is open and closing connections may take, ms. */
const LONGEST_CLOSE_MS = 1000;

/** The end of all connections of a module, under one deadline. */
export class ShutdownDrain {
  private readonly runtimes: readonly OwnedRuntime[];
  private readonly scheduler: OwnedRuntime['scheduler'];
  private readonly grace: number;
  /** When the shutdown time-out is over, by the scheduler. */
  private end = Number.POSITIVE_INFINITY;
  private draining: Promise<void> | undefined;

  constructor(
    { all, base }: ConnectionRegistry<OwnedRuntime>,
    private readonly shutdownTimeout: number,
    private readonly log: Pick<EventLog, 'warn'>,
  ) {
    this.runtimes = all;
    this.scheduler = base.scheduler;
    this.grace = Math.min(LONGEST_GRACE_MS, shutdownTimeout * GRACE);
  }

  /**
   * Nobody new gets in from now on, and waiters are sent away. Resolves when nothing is held any more, or what is held
   * has had its time.
   */
  drain(): Promise<void> {
    return (this.draining ??= this.begin());
  }

  /** Closes our connections, in what is left of the time-out. */
  async close(): Promise<void> {
    const left = Math.max(0, this.end - this.scheduler.now());
    await this.closeWithin(Math.min(LONGEST_CLOSE_MS, left));
  }

  /** The same for an application that did not start, and of which Nest ends nothing. */
  async closeWithin(ms: number): Promise<void> {
    for (const { watchdog } of this.runtimes) watchdog.stop();
    await Promise.all(this.runtimes.map((runtime) => runtime.close(ms)));
  }

  private async begin(): Promise<void> {
    const { shutdownTimeout, grace } = this;
    this.end = this.scheduler.now() + shutdownTimeout;
    const reason = new LockShutdownError('The application is shutting down; no lock is given any more');
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
      `This process still works with permits of semaphores ${when}, in ${permits} call(s). Permits that are not given back ` +
        `before the connections close stay missing; ${remedy}`,
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

const heldText = ({ name, method, heldFor }: Grant): string =>
  `"${name}" (${method === undefined ? '' : `${method}, `}for ${seconds(heldFor)})`;

const whenEmpty = async ({ acquirer, grants, permitsInUse }: OwnedRuntime): Promise<void> => {
  // What is on its way may still be granted, and what was granted too late is given back.
  await acquirer.settled();
  await grants.whenEmpty();
  await permitsInUse.settled();
  await acquirer.settled();
};
