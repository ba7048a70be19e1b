import type { SteadyScheduler } from '../../../time/monotonic-scheduler.js';
import type { FencedTransitions } from '../../fenced-transitions.js';
import type { RedisCommands } from '../commands/script-executor.js';
import type { FencedDialect } from './fenced-dialect.js';
import { RedisLock } from './redis-lock.js';
import type { Replicas } from '../commands/replica-confirmation.js';

/** Fenced locks in Redis. */
export class RedisFencedLock extends RedisLock implements FencedTransitions {
  constructor(
    commands: RedisCommands,
    scheduler: SteadyScheduler,
    private readonly fenced: FencedDialect,
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
