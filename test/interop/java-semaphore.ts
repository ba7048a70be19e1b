import type { Ask } from './peer-messages.js';

/** Redisson's `RSemaphore`. Times are ms. */
export class JavaSemaphore {
  constructor(
    private readonly name: string,
    private readonly ask: Ask,
  ) {}

  async trySetPermits(permits: number): Promise<boolean> {
    return (await this.call('trySetPermits', { permits })) === true;
  }

  async addPermits(permits: number): Promise<void> {
    await this.call('addPermits', { permits });
  }

  /** Waits without limit. */
  async acquire(permits = 1): Promise<void> {
    await this.call('acquire', { permits });
  }

  /** Without a wait it makes one attempt. */
  async tryAcquire(permits = 1, waitMs?: number): Promise<boolean> {
    return (await this.call('tryAcquire', { permits, waitMs })) === true;
  }

  async release(permits = 1): Promise<void> {
    await this.call('release', { permits });
  }

  async releaseIfExists(permits = 1): Promise<boolean> {
    return (await this.call('releaseIfExists', { permits })) === true;
  }

  async drainPermits(): Promise<number> {
    return Number(await this.call('drainPermits'));
  }

  async availablePermits(): Promise<number> {
    return Number(await this.call('availablePermits'));
  }

  async expire(ttlMs: number): Promise<boolean> {
    return (await this.call('expire', { ttlMs })) === true;
  }

  /** Milliseconds; -1: it does not expire; -2: there is none. */
  async remainTimeToLive(): Promise<number> {
    return Number(await this.call('remainTimeToLive'));
  }

  private call(method: string, args: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    return this.ask(`semaphore.${method}`, { ...args, name: this.name });
  }
}
