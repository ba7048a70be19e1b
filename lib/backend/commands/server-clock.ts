import { type MonotonicScheduler, Stopwatch } from '../../time/scheduler.js';
import type { RedisConnection } from '../connection/redis-connection.js';
import { unexpectedReply } from '../connection/reply-errors.js';

/**
 * A clock further ahead than it ever was, by more than this, ms, was set forward: a slow reply only makes it look
 * behind.
 */
const FORWARD_MS = 500;
/** A clock behind its furthest by more than this, ms, was set back: no reply is that late on its way. */
const BACK_MS = 2500;
/** Usual drift between two clocks, as a share of the time passed: more shows that one was set. */
const DRIFT = 0.001;
/** Largest drift between two clocks, as RedLock counts with it: more would let two clients hold a lock. */
const LARGEST_DRIFT = 0.01;

/**
 * Time on the server, estimated from the replies that contained it. The estimate is behind by the way back of the last
 * reply, never ahead, so a command with an estimated `notAfter` is refused too early rather than too late.
 */
export class ServerClock {
  private ahead = Number.NEGATIVE_INFINITY;
  /**
   * The furthest that the server was ever ahead of our clock since it was set: the true offset, if one reply was quick.
   */
  private furthestAhead = Number.NEGATIVE_INFINITY;
  private lastSeen = 0;
  /** The latest that the server's clock may have shown when a command was answered, by the one that reached it fastest. */
  private latest = Number.POSITIVE_INFINITY;
  private sinceLatest: Stopwatch | undefined;

  /** @param onJump Called with the ms by which the clock was set, roughly; negative: back. */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly onJump: (ms: number) => void = () => {},
  ) {}

  /**
   * @param now When the reply came, on the scheduler's clock.
   * @param waited Milliseconds since the command was sent, by the larger of both clocks; `Infinity`: unknown.
   */
  observe(serverNow: number, now = this.scheduler.now(), waited = Number.POSITIVE_INFINITY): void {
    // A reply that is no number comes from something other than Redis, and contains no time.
    if (!Number.isFinite(serverNow)) return;
    this.ahead = serverNow - now;
    // The server's time has no fractions of a millisecond.
    const latest = serverNow + 1 + waited;
    const latestNow = this.latestNow();
    // No clock shows more than the latest: it was set.
    if (latest < latestNow || serverNow > latestNow) {
      this.latest = latest;
      this.sinceLatest = new Stopwatch(this.scheduler);
    }
    this.furthestAhead -= (now - this.lastSeen) * DRIFT;
    this.lastSeen = now;
    const change = this.ahead - this.furthestAhead;
    if (Number.isFinite(change) && (change > FORWARD_MS || change < -BACK_MS)) {
      this.furthestAhead = this.ahead;
      this.onJump(Math.round(change));
    }
    this.furthestAhead = Math.max(this.furthestAhead, this.ahead);
  }

  /**
   * Milliseconds that have passed at most since the server's clock showed `serverTime`, by the larger of our clocks: a
   * message may have waited while the machine was suspended. `undefined`: unknown, since the server's clock was not seen
   * yet, or was set since.
   */
  longestSince(serverTime: number): number | undefined {
    const longest = this.latestNow() - serverTime;
    return Number.isFinite(longest) && longest >= 0 ? longest : undefined;
  }

  /** The latest that the server's clock may show now. */
  private latestNow(): number {
    return this.sinceLatest ? this.latest + this.sinceLatest.elapsed * (1 + LARGEST_DRIFT) : this.latest;
  }

  now(at = this.scheduler.now()): number {
    return at + this.ahead;
  }
}

const isCount = (value: unknown): value is string => typeof value === 'string' && /^\d{1,12}$/.test(value);

/** Asks a server for its time, ms. */
export const askServerTime = async (connection: RedisConnection): Promise<number> => {
  const reply = await connection.send(['TIME']);
  const [seconds, micros]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  if (!isCount(seconds) || !isCount(micros)) throw unexpectedReply(reply);
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
};
