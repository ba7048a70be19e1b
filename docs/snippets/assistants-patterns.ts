import { Injectable } from '@nestjs/common';
import { Locked, lockName, LockService } from 'nest-redis-lock';

@Injectable()
export class Patterns {
  constructor(private readonly locks: LockService) {}

  // 1. A method, once at a time for each order, in all processes. Keys are made of the arguments: <0>, <0.id>.
  @Locked('order:<0>')
  async pay(_orderId: string): Promise<void> {}

  // 2. A part of a method, or a script. Values in names are encoded by `lockName`.
  async charge(id: string): Promise<void> {
    await this.locks.withLock(lockName`order:${id}`, { wait: '3s' }, ({ signal }) => this.callGateway(id, signal));
  }

  // 3. Skipped when it is taken. A call that may be skipped does not wait.
  @Locked('import:<0>', { onConflict: 'skip' })
  async import(_source: string): Promise<string | undefined> {
    return 'imported';
  }

  // 4. At most three at once.
  @Locked('tenant:<0>', { limit: 3, wait: '30s' })
  async export(_tenant: string): Promise<void> {}

  // 5. A hold without a callback ends with its block.
  async report(month: string): Promise<void> {
    await using hold = await this.locks.acquire(lockName`report:${month}`, { wait: 0 });
    hold.assertHeld();
  }

  private async callGateway(_id: string, _signal: AbortSignal): Promise<void> {}
}
