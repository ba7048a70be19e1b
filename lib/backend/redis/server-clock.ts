import type { SteadyScheduler } from '../../time/steady-scheduler.js';

/**
 * What time it is on the server, estimated from the last time it told. The estimate is behind by the way back of that
 * reply, never ahead, so a command told "not after" an estimated instant is refused rather too early than too late.
 */
export class ServerClock {
  private ahead = Number.NEGATIVE_INFINITY;

  constructor(private readonly scheduler: SteadyScheduler) {}

  observe(serverNow: number): void {
    // What is no number comes from something that is not Redis, and says nothing about its clock.
    if (Number.isFinite(serverNow)) this.ahead = serverNow - this.scheduler.now();
  }

  now(): number {
    return this.scheduler.now() + this.ahead;
  }
}
