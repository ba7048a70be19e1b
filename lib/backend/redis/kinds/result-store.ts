import { isPassing, wrongKeyType } from '../../../errors.js';
import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import type { ResultStore, Lookup, SaveResult } from '../../result-store.js';
import type { ScriptExecutor } from '../commands/script-executor.js';
import { sendWithDeadline } from '../commands/deadline-request.js';
import { scripts } from '../scripts/scripts.generated.js';
import { flightLock, flightResult } from '../../../keys/redisson-keys.js';

/** Results of single flights in Redis: a string beside the lock. */
export class RedisSingleFlight implements ResultStore {
  constructor(
    private readonly commands: ScriptExecutor,
    private readonly scheduler: MonotonicScheduler,
  ) {}

  async find(name: string): Promise<Lookup> {
    const result = flightResult(name);
    const deadline = this.deadline();
    if (!this.commands.isConnected(result)) await this.commands.whenConnected(deadline, result, name);
    const reply = await this.commands.run(scripts.singleFlight.find, { result }, {}, deadline, name);
    const [outcome, detail, savedAt, now] = reply;
    if (outcome === 'wrong-type') throw wrongKeyType(result, detail);
    return { now, stored: outcome === 'landed' ? { text: detail, savedAt } : undefined };
  }

  /** Repeated once after a passing failure: without a saved result every waiter executes the work again. */
  save(landing: SaveResult): Promise<'kept' | 'lost'> {
    return this.tryLand(landing).catch((error: unknown) => {
      if (!isPassing(error)) throw error;
      return this.tryLand(landing);
    });
  }

  private tryLand({ name, owner, text, keep }: SaveResult): Promise<'kept' | 'lost'> {
    const keys = { lock: flightLock(name), result: flightResult(name) };
    return sendWithDeadline(this.commands, this.scheduler, {
      key: keys.result,
      name,
      deadline: this.deadline(),
      send: ({ notAfter, deadline }) =>
        this.commands.run(scripts.singleFlight.land, keys, { owner, keep, notAfter, text }, deadline, name),
      read: ([outcome, detail]): 'kept' | 'lost' | undefined => {
        if (outcome === 'wrong-type') throw wrongKeyType(keys.result, detail);
        return outcome === 'late' ? undefined : outcome;
      },
    });
  }

  private deadline(): number {
    return this.scheduler.now() + this.commands.timeoutFor(Number.POSITIVE_INFINITY);
  }
}
