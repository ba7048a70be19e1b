import { Injectable } from '@nestjs/common';
import { lockName, LockService } from 'nest-redis-lock';

@Injectable()
export class PickingService {
  constructor(private readonly locks: LockService) {}

  /** Resolves when every line has been picked; false if that takes longer than a minute. */
  async pickAll(order: string, lines: readonly string[], enqueue: (line: string) => Promise<void>): Promise<boolean> {
    const picked = this.locks.getCountDownLatch(lockName`picked:${order}`);
    if (!(await picked.trySetCount(lines.length, { ttl: '24h' }))) throw new Error(`${order} is being picked`);
    for (const line of lines) await enqueue(line);
    return picked.await({ wait: '1m' });
  }

  /** Called by the workers, in any process, once for each line. */
  async picked(order: string): Promise<void> {
    await this.locks.getCountDownLatch(lockName`picked:${order}`).countDown();
  }
}
