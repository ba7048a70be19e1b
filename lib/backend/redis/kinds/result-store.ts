import { isPassing } from '../../../errors.js';
import { flightLock, flightResult } from '../../../keys/lock-name.js';
import type { SteadyScheduler } from '../../../time/monotonic-scheduler.js';
import type { FlightTransitions, Found, Landing } from '../../result-store.js';
import { wrongKeyType } from '../../../wrong-key-type.js';
import type { RedisCommands } from '../commands/script-executor.js';
import { requestInTime } from '../commands/deadline-request.js';
import { scripts } from '../scripts/scripts.generated.js';

/** Results of flights in Redis: a string beside the lock. */
export class RedisSingleFlight implements FlightTransitions {
  constructor(
    private readonly commands: RedisCommands,
    private readonly scheduler: SteadyScheduler,
  ) {}

  async find(name: string): Promise<Found> {
    const result = flightResult(name);
    const deadline = this.deadline();
    if (!this.commands.canSend(result)) await this.commands.ready(deadline, result, name);
    const reply = await this.commands.run(scripts.singleFlight.find, { result }, {}, deadline, name);
    const [outcome, detail, landedAt, now] = reply;
    if (outcome === 'wrong-type') throw wrongKeyType(result, detail);
    return { now, landed: outcome === 'landed' ? { text: detail, landedAt } : undefined };
  }

  /** Once more where that failed: an execution that nobody learns of is done again by each who waits. */
  land(landing: Landing): Promise<'kept' | 'lost'> {
    return this.tryLand(landing).catch((error: unknown) => {
      if (!isPassing(error)) throw error;
      return this.tryLand(landing);
    });
  }

  private tryLand({ name, owner, text, keep }: Landing): Promise<'kept' | 'lost'> {
    const keys = { lock: flightLock(name), result: flightResult(name) };
    return requestInTime(this.commands, this.scheduler, {
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
    return this.scheduler.now() + this.commands.patience(Number.POSITIVE_INFINITY);
  }
}
