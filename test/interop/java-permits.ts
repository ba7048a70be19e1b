import type { Ask } from './peer-messages.js';

/** Redisson's `RPermitExpirableSemaphore`. Permits are 32 hex digits, times ms. */
export class JavaPermits {
  constructor(
    private readonly name: string,
    private readonly ask: Ask,
  ) {}

  async trySetPermits(permits: number): Promise<boolean> {
    return (await this.call('trySetPermits', { permits })) === true;
  }

  async setPermits(permits: number): Promise<void> {
    await this.call('setPermits', { permits });
  }

  async addPermits(permits: number): Promise<void> {
    await this.call('addPermits', { permits });
  }

  /** Waits without limit. Without a lease the permits stay until they are released. */
  async acquire(permits = 1, leaseMs?: number): Promise<string[]> {
    return (await this.call('acquire', { permits, leaseMs })) as string[];
  }

  /** Resolves with an empty list if the wait was over before. */
  async tryAcquire(permits: number, waitMs: number, leaseMs?: number): Promise<string[]> {
    return (await this.call('tryAcquire', { permits, waitMs, leaseMs })) as string[];
  }

  /** Rejects if the permit is not held any more. */
  async release(permit: string): Promise<void> {
    await this.call('release', { permit });
  }

  async tryRelease(permit: string): Promise<boolean> {
    return (await this.call('tryRelease', { permit })) === true;
  }

  /** Releases all permits or none, and resolves with the number of released permits. */
  async tryReleaseAll(permits: readonly string[]): Promise<number> {
    return Number(await this.call('tryReleaseAll', { permits }));
  }

  async updateLeaseTime(permit: string, leaseMs: number): Promise<boolean> {
    return (await this.call('updateLeaseTime', { permit, leaseMs })) === true;
  }

  async getLeaseTime(permit: string): Promise<number> {
    return Number(await this.call('getLeaseTime', { permit }));
  }

  async availablePermits(): Promise<number> {
    return Number(await this.call('availablePermits'));
  }

  async acquiredPermits(): Promise<number> {
    return Number(await this.call('acquiredPermits'));
  }

  async getPermits(): Promise<number> {
    return Number(await this.call('getPermits'));
  }

  private call(method: string, args: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    return this.ask(`permits.${method}`, { ...args, name: this.name });
  }
}
