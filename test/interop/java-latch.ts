import type { Ask } from './peer-messages.js';

/** Redisson's `RCountDownLatch`. Times are ms. */
export class JavaLatch {
  constructor(
    private readonly name: string,
    private readonly ask: Ask,
  ) {}

  async trySetCount(count: number): Promise<boolean> {
    return (await this.call('trySetCount', { count })) === true;
  }

  async countDown(): Promise<void> {
    await this.call('countDown');
  }

  /** Resolves with whether the latch opened within the wait. Without a wait there is no limit. */
  async await(waitMs?: number): Promise<boolean> {
    return (await this.call('await', { waitMs })) === true;
  }

  async getCount(): Promise<number> {
    return Number(await this.call('getCount'));
  }

  async delete(): Promise<boolean> {
    return (await this.call('delete')) === true;
  }

  private call(method: string, args: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    return this.ask(`latch.${method}`, { ...args, name: this.name });
  }
}
