import type { MonotonicScheduler, ScheduledTask } from '../../time/scheduler.js';

/** Listener for the loss and the return of a connection or cluster. */
interface ReachabilityListener {
  onLost(): void;
  /** @param after Milliseconds since the loss. Called only after {@link onLost}. */
  onFound(after: number): void;
}

/** Watches whether something is reachable that should be. An absence shorter than `patience` is not reported. */
export class Reachability {
  private state: 'unneeded' | 'there' | 'missed' | 'lost' | 'ended' = 'unneeded';
  private since = 0;
  private timer: ScheduledTask | undefined;

  /** @param timeout Milliseconds. */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly timeout: number,
    private readonly listener: ReachabilityListener,
  ) {}

  get isLost(): boolean {
    return this.state === 'lost';
  }

  /** Called when it should be reachable and is not. Further calls do nothing. */
  missing(): void {
    if (this.state !== 'unneeded' && this.state !== 'there') return;
    this.state = 'missed';
    this.since = this.scheduler.now();
    this.timer = this.scheduler.schedule(this.timeout, () => {
      this.state = 'lost';
      this.listener.onLost();
    });
  }

  found(): void {
    if (this.state === 'ended') return;
    const { state } = this;
    this.state = 'there';
    this.timer?.cancel();
    if (state === 'lost') this.listener.onFound(Math.round(this.scheduler.now() - this.since));
  }

  /** Called when it is not needed any more. */
  end(): void {
    this.state = 'ended';
    this.timer?.cancel();
  }
}
