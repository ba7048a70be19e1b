import { Injectable } from '@nestjs/common';
import { LockService, LockTimeoutError } from 'nest-redis-lock';

@Injectable()
export class Transfers {
  constructor(private readonly locks: LockService) {}

  async transfer(from: string, to: string, amount: number): Promise<boolean> {
    try {
      return await this.locks
        .getMultiLock(`account:${from}`, `account:${to}`)
        .withLock({ lease: '5s', renew: true, wait: '2s' }, async (hold) => {
          const balance = await this.balanceOf(from, hold.signal);
          hold.assertHeld(); // instead of: if (signal.aborted) throw signal.error
          await this.move(from, to, Math.min(amount, balance));
          return true;
        });
    } catch (error) {
      if (error instanceof LockTimeoutError) return false; // instead of ExecutionError
      throw error;
    }
  }

  private async balanceOf(_account: string, _signal: AbortSignal): Promise<number> {
    return 100;
  }

  private async move(_from: string, _to: string, _amount: number): Promise<void> {}
}
