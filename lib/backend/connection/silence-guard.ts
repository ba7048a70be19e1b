import type { MonotonicScheduler } from '../../time/monotonic-scheduler.js';
import type { ScheduledTask } from '../../time/scheduler.js';
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

  /** Called when a command was answered, in time or late. */
  answered(): void {
    if (this.timer) this.clear();
  }

  /**
   * Called when a command has been unanswered for `ms`. Only an answer shows that the server is alive: what it sends may
   * belong to another protocol, in which the client waits for the rest of something that has no end.
   */
  missed(ms: number): void {
    const { stream } = this.client;
    if (this.timer || !stream || this.client.options.socketTimeout !== undefined) return;
    this.timer = this.scheduler.schedule(this.longest - ms, () => {
      this.timer = undefined;
      stream.destroy(new Error(`Socket timeout: no answer for ${this.longest}ms`));
    });
  }

  private clear(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }
}
