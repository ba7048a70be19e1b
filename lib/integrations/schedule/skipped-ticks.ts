import { Logger } from '@nestjs/common';
import { isConflict, LockShutdownError, LockUnavailableError } from '../../errors.js';

const logger = new Logger('LockedCron');

/** A tick that begins so late that the lock of the process that has run it may be gone. */
export class LateTickError extends Error {}

/** How many ticks in a row got no lock. */
interface Skips {
  count: number;
}

/**
 * Reports the ticks of a job that are skipped. They have no caller to report to. An outage is one line of each job, and
 * its end another, however many ticks it lasts.
 */
export class SkippedTicks {
  private readonly ofInstances = new WeakMap<object, Skips>();
  private readonly ofNone: Skips = { count: 0 };

  constructor(private readonly name: string) {}

  /** Whether a tick of the instance is skipped for this error, of an acquisition, instead of failing with it. */
  skipsFor(error: unknown, instance: unknown): boolean {
    if (error instanceof LateTickError) logger.warn(`Skipped a tick of "${this.name}": ${error.message}`);
    else if (error instanceof LockUnavailableError) this.addTo(this.skipsOf(instance), error);
    else {
      if (isConflict(error)) this.hasAnswer(instance);
      return error instanceof LockShutdownError;
    }
    return true;
  }

  /** A tick of the instance has got its lock, or has been told that another one has it. */
  hasAnswer(instance: unknown): void {
    const skips = this.skipsOf(instance);
    const { count } = skips;
    skips.count = 0;
    if (count === 0) return;
    const ticks = count === 1 ? '1 was' : `${count} were`;
    logger.log(`Ticks of "${this.name}" can be locked again; ${ticks} skipped`);
  }

  private addTo(skips: Skips, { message }: LockUnavailableError): void {
    skips.count += 1;
    if (skips.count > 1) return;
    logger.error(`Skipped a tick of "${this.name}": ${message}; further ones are skipped without a line`);
  }

  private skipsOf(instance: unknown): Skips {
    if (typeof instance !== 'object' || instance === null) return this.ofNone;
    const known = this.ofInstances.get(instance) ?? { count: 0 };
    this.ofInstances.set(instance, known);
    return known;
  }
}
