import type { Ask, JavaLockName } from './peer-messages.js';

/** Redisson's `RLock`, used by one thread. Times are ms. */
export class JavaLock {
  constructor(
    private readonly lockName: JavaLockName,
    private readonly ask: Ask,
  ) {}

  /** Waits without limit. Without a lease the watchdog renews the lock. */
  async lock(leaseMs?: number): Promise<void> {
    await this.call('lock', { leaseMs });
  }

  /** Without arguments it makes one attempt. */
  async tryLock(waitMs?: number, leaseMs?: number): Promise<boolean> {
    return (await this.call('tryLock', { waitMs, leaseMs })) === true;
  }

  /** Rejects with an IllegalMonitorStateException if the thread does not hold the lock. */
  async unlock(): Promise<void> {
    await this.call('unlock');
  }

  async forceUnlock(): Promise<boolean> {
    return (await this.call('forceUnlock')) === true;
  }

  async isLocked(): Promise<boolean> {
    return (await this.call('isLocked')) === true;
  }

  async isHeldByCurrentThread(): Promise<boolean> {
    return (await this.call('isHeldByCurrentThread')) === true;
  }

  async holdCount(): Promise<number> {
    return Number(await this.call('holdCount'));
  }

  async remainTimeToLive(): Promise<number> {
    return Number(await this.call('remainTimeToLive'));
  }

  private call(method: string, args: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    return this.ask(`lock.${method}`, { ...args, lock: this.lockName });
  }
}

/** Redisson's `RFencedLock`, used by one thread. */
export class JavaFencedLock extends JavaLock {
  constructor(
    private readonly name: string,
    private readonly askFenced: Ask,
  ) {
    super({ kind: 'fenced', name }, askFenced);
  }

  async lockAndGetToken(): Promise<bigint> {
    return BigInt(Number(await this.askFenced('fenced.lockAndGetToken', { name: this.name })));
  }

  /** Null if the wait was over before. */
  async tryLockAndGetToken(waitMs: number, leaseMs?: number): Promise<bigint | null> {
    const token = await this.askFenced('fenced.tryLockAndGetToken', { name: this.name, waitMs, leaseMs });
    return token === null ? null : BigInt(Number(token));
  }

  /** The newest token of all owners. */
  async getToken(): Promise<bigint> {
    return BigInt(Number(await this.askFenced('fenced.getToken', { name: this.name })));
  }
}
