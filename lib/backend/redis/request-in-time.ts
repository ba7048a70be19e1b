import { LockUnavailableError } from '../../errors.js';
import type { SteadyScheduler } from '../../time/steady-scheduler.js';
import { Stopwatch } from '../../time/stopwatch.js';
import type { RedisCommands } from './commands.js';
import type { Limits } from './lock-dialect.js';

/** `undefined`: the server refused, because by its clock the request came late. */
export type TimedRequest<T> = (limits: Limits, sent: Stopwatch) => Promise<T | undefined>;

export interface Timing {
  /** Under which the request is made. */
  readonly key: string;
  /** What the user knows it by. Default: the key. */
  readonly name?: string;
  readonly deadline: number;
  /** Whether it gives something new to somebody. Default: no. */
  readonly grants?: boolean;
}

/**
 * Makes a request that the server refuses after the deadline. Where it did so although the deadline has not come, our
 * idea of the server's clock was behind, and the reply has just corrected it. Then, and where the connection went down
 * before anything was written, there is time for another.
 */
export const requestInTime = async <T>(
  commands: RedisCommands,
  scheduler: SteadyScheduler,
  { key, name = key, deadline, grants = false }: Timing,
  request: TimedRequest<T>,
): Promise<T> => {
  while (scheduler.now() < deadline) {
    if (!commands.canSend(key)) await commands.ready(deadline, key, name);
    // In one turn with the sending: what is known of the server then is true of the connection that it goes over.
    if (grants) commands.checkGrant(key, name);
    const sent = new Stopwatch(scheduler);
    const notAfter = Math.ceil(commands.serverTime(key) + (deadline - sent.startedAt));
    try {
      const result = await request({ notAfter, deadline }, sent);
      if (result !== undefined) return result;
    } catch (error) {
      if (!(error instanceof LockUnavailableError && error.outcome === 'not-sent')) throw error;
    }
  }
  throw new LockUnavailableError('The request reached Redis after its deadline', 'refused', false, { lockName: name });
};
