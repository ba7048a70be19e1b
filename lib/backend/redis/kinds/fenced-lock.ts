import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import type { FencedLockOperations } from '../../fenced-transitions.js';
import type { ScriptExecutor } from '../commands/script-executor.js';
import type { FencedLockScripts } from './fenced-dialect.js';
import { RedisLock } from './redis-lock.js';
import type { Replicas } from '../commands/replica-confirmation.js';

/** Fenced locks in Redis. */
export class RedisFencedLock extends RedisLock implements FencedLockOperations {
  constructor(
    commands: ScriptExecutor,
    scheduler: MonotonicScheduler,
    private readonly fenced: FencedLockScripts,
    replicas?: Replicas,
  ) {
    super(commands, scheduler, fenced, replicas);
  }

  async currentToken(name: string): Promise<bigint> {
    const deadline = this.deadline();
    await this.ready(deadline, name);
    return this.fenced.currentToken(name, deadline);
  }
}
