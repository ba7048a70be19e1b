import { runOutsideRegions } from '../../../context/owner-context.js';
import type { ScheduledTask } from '../../../time/scheduler.js';
import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';

/** Who is told that something which should be there is not, and that it is again. */
export interface ReachabilityListener {
  onLost(): void;
  /** @param after Milliseconds. Only where {@link onLost} was called before. */
  onFound(after: number): void;
}

/** Whether something is there that should be. What comes back within `patience` was not missed by anybody. */
export class Reachability {
  private state: 'unneeded' | 'there' | 'missed' | 'lost' | 'ended' = 'unneeded';
  private since = 0;
  private timer: ScheduledTask | undefined;

  /** @param patience Milliseconds. */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly patience: number,
    private readonly listener: ReachabilityListener,
  ) {}

  get isLost(): boolean {
    return this.state === 'lost';
  }

  /** It should be there and is not. Told again, it does nothing. */
  missing(): void {
    if (this.state !== 'unneeded' && this.state !== 'there') return;
    this.state = 'missed';
    this.since = this.scheduler.now();
    this.timer = runOutsideRegions(() =>
      this.scheduler.schedule(this.patience, () => {
        this.state = 'lost';
        this.listener.onLost();
      }),
    );
  }

  found(): void {
    if (this.state === 'ended') return;
    const { state } = this;
    this.state = 'there';
    this.timer?.cancel();
    if (state === 'lost') this.listener.onFound(Math.round(this.scheduler.now() - this.since));
  }

  /** It is not needed any more. */
  end(): void {
    this.state = 'ended';
    this.timer?.cancel();
  }
}
