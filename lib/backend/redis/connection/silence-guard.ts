import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import type { ScheduledTask } from '../../../time/scheduler.js';
import type { RedisClient } from './redis-client.js';

/**
 * Drops a connection that is open but silent: its server is frozen, or the socket has not noticed that it is cut off.
 * ioredis (`socketTimeout`) sets a timer and a listener for each command, a quarter of the JavaScript of a lone one.
 * Therefore ioredis does that only until the connection is ready. From then on there is a timer only after a command has
 * missed its deadline.
 */
export class SilenceGuard {
  private timer: ScheduledTask | undefined;

  /**
   * @param client Its option `socketTimeout` must be set.
   * @param longest Milliseconds for which a server may leave a command unanswered.
   */
  constructor(
    private readonly client: RedisClient,
    private readonly scheduler: MonotonicScheduler,
    private readonly longest: number,
  ) {}

  /** Called when the connection is ready. */
  begin(): void {
    this.client.options.socketTimeout = undefined;
  }

  /** Called when the connection is closed. */
  end(): void {
    this.client.options.socketTimeout = this.longest;
    this.clear();
  }

  /** Called when a command has been unanswered for `ms`. Any byte from the server shows that it is alive. */
  missed(ms: number): void {
    const { stream } = this.client;
    if (this.timer || !stream || this.client.options.socketTimeout !== undefined) return;
    stream.once('data', () => this.clear());
    this.timer = this.scheduler.schedule(this.longest - ms, () => {
      this.timer = undefined;
      stream.destroy(new Error(`Socket timeout: no data for ${this.longest}ms`));
    });
  }

  private clear(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }
}
