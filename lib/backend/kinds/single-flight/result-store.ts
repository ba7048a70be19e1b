import type { OwnerId } from '../../../context/owner-ids.js';
import { wrongKeyType } from '../../../errors.js';
import { sendAgain } from '../../commands/send-again.js';
import { RedisOperations } from '../../commands/deadline-request.js';
import { scripts } from '../../scripts/scripts.generated.js';
import { flightLock, flightResult } from '../../../keys/redisson-keys.js';

/** Result of the last flight. */
interface StoredResult {
  readonly text: string;
  /** Milliseconds on the backend's clock. */
  readonly savedAt: number;
}

/** Result of a look-up at an instant of the backend's clock, ms. */
export interface Lookup {
  readonly now: number;
  readonly stored: StoredResult | undefined;
}

/** The result of a flight that has ended; `owner` has its lock. */
interface SaveResult {
  readonly name: string;
  readonly owner: OwnerId;
  readonly text: string;
  /** Milliseconds for which others may find the result. */
  readonly keep: number;
}

/**
 * Results of single flights in Redis: a string beside the lock.
 *
 * Store for the results of flights. Its methods reject with `LockUnavailableError` if the backend cannot answer in
 * time, and with `LockKeyTypeError` if the key of a result holds another type.
 */
export class RedisResultStore extends RedisOperations {
  async find(name: string): Promise<Lookup> {
    const result = flightResult(name);
    const find = (deadline: number) => this.commands.run(scripts.singleFlight.find, { result }, {}, deadline, name);
    const reply = await this.whenReady(result, find, name);
    const [outcome, detail, savedAt, now] = reply;
    if (outcome === 'wrong-type') throw wrongKeyType(result, detail);
    return { now, stored: outcome === 'landed' ? { text: detail, savedAt } : undefined };
  }

  /** Repeated once after a passing failure: without a saved result every waiter executes the work again. */
  save(landing: SaveResult): Promise<'kept' | 'lost'> {
    return this.tryLand(landing).catch((error: unknown) => sendAgain(error, () => this.tryLand(landing)));
  }

  private tryLand({ name, owner, text, keep }: SaveResult): Promise<'kept' | 'lost'> {
    const keys = { lock: flightLock(name), result: flightResult(name) };
    return this.inTime({
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
}
