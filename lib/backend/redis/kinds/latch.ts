import { latchChannel } from '../../../keys/lock-name.js';
import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import type { LatchOperations } from '../../latch-transitions.js';
import type { ScriptExecutor } from '../commands/script-executor.js';
import { RedisCounter } from './counters.js';
import type { IdempotentRequests } from '../commands/idempotent-requests.js';
import { scripts } from '../scripts/scripts.generated.js';

/** Redisson's word for a new count, after which who waits is to look again; `0` says that the latch is open. */
const NEW_COUNT = '1';

/** Count-down latches in Redis: string `name`, what is left to count down; missing: open. */
export class RedisLatch extends RedisCounter implements LatchOperations {
  constructor(commands: ScriptExecutor, requests: IdempotentRequests, scheduler: MonotonicScheduler) {
    super(commands, requests, scheduler, {
      channelOf: latchChannel,
      whenSet: () => NEW_COUNT,
      whenDeleted: NEW_COUNT,
    });
  }

  async countDown(name: string): Promise<void> {
    await this.requests.completeInBackground(
      name,
      { request: 'count-down', count: 1 },
      ({ idempotencyKey, keyTtl, notAfter, deadline }) => {
        const args = { keep: keyTtl, notAfter, ...this.announcing(name) };
        return this.commands.run(
          scripts.latch.countDown,
          { latch: name, marker: idempotencyKey },
          args,
          deadline,
          name,
        );
      },
    );
  }
}
