import type { MonotonicScheduler, ScheduledTask } from '../../time/scheduler.js';

/** The reason why a connection is dropped whose server is silent. */
export const silent = (ms: number): Error => new Error(`Socket timeout: no answer for ${ms}ms`);

/**
 * Drops a connection that is open but silent: its server is frozen, or the socket has not noticed that it is cut off.
 * There is a timer only after a command has missed its deadline: one for each command would be a quarter of the JavaScript
 * of a lone one.
 */
export class SilenceGuard {
  private timer: ScheduledTask | undefined;

  /**
   * @param longest Milliseconds for which a server may leave a command unanswered.
   * @param drop Drops the connection.
   */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly longest: number,
    private readonly drop: (reason: Error) => void,
  ) {}

  /** Called when a command was answered, in time or late, and when the connection has ended. */
  answered(): void {
    if (!this.timer) return;
    this.timer.cancel();
    this.timer = undefined;
  }

  /**
   * Called when a command has been unanswered for `ms`. Only an answer shows that the server is alive: what it sends may
   * belong to another protocol, in which the client waits for the rest of something that has no end.
   */
  missed(ms: number): void {
    this.timer ??= this.scheduler.schedule(this.longest - ms, () => {
      this.timer = undefined;
      this.drop(silent(this.longest));
    });
  }
}
