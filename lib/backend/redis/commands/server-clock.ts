import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';

/** A reply that says so much more than the estimate, ms, comes from a clock that was set; it was never ahead before. */
const FORWARD_MS = 500;
/** And one that says so much less: a reply may be that late on its way, but not later. */
const BACK_MS = 2500;
/** What two clocks may drift apart in, a share of the time. */
const DRIFT = 0.001;

/**
 * What time it is on the server, estimated from the last time it told. The estimate is behind by the way back of that
 * reply, never ahead, so a command told "not after" an estimated instant is refused rather too early than too late.
 */
export class ServerClock {
  private ahead = Number.NEGATIVE_INFINITY;
  /** The most that it ever was ahead of ours since it was set: what it is if one reply was quick. */
  private most = Number.NEGATIVE_INFINITY;
  private lastSeen = 0;

  /** @param onJump Told by how many ms it was set, roughly; negative: back. */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly onJump: (ms: number) => void = () => {},
  ) {}

  observe(serverNow: number): void {
    // What is no number comes from something that is not Redis, and says nothing about its clock.
    if (!Number.isFinite(serverNow)) return;
    const now = this.scheduler.now();
    this.ahead = serverNow - now;
    this.most -= (now - this.lastSeen) * DRIFT;
    this.lastSeen = now;
    const change = this.ahead - this.most;
    if (Number.isFinite(change) && (change > FORWARD_MS || change < -BACK_MS)) {
      this.most = this.ahead;
      this.onJump(Math.round(change));
    }
    this.most = Math.max(this.most, this.ahead);
  }

  now(): number {
    return this.scheduler.now() + this.ahead;
  }
}
