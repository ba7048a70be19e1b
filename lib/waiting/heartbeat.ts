import type { InFlight } from '../concurrency.js';
import { isPassing } from '../errors.js';
import type { MonotonicScheduler, ScheduledTask } from '../time/scheduler.js';

/** Shares of a slot: the interval between heartbeats, and the delay before a failed one is retried. */
const INTERVAL_SHARE = 1 / 3;
const RETRY_SHARE = 1 / 10;

/** Parts of a heartbeat. */
interface HeartbeatParts {
  readonly scheduler: MonotonicScheduler;
  /** Milliseconds after which the server forgets what is not kept. */
  readonly slot: number;
  readonly inFlight: InFlight;
}

/** Sends the requests that keep something on the server. Without an answer, it rejects. */
type Beat = () => Promise<void>;

/** Keeps something on the server that ends with its slot: every third of the slot, and sooner after a failure. */
export class Heartbeat {
  private timer: ScheduledTask | undefined;
  private running = false;

  /** @param onFailed Called if a beat failed for good; later ones would fail, too. */
  constructor(
    private readonly parts: HeartbeatParts,
    private readonly beat: Beat,
    private readonly onFailed: (error: unknown) => void,
  ) {}

  get isRunning(): boolean {
    return this.running;
  }

  start(): void {
    this.running = true;
    this.schedule(INTERVAL_SHARE);
  }

  stop(): void {
    this.running = false;
    this.timer?.cancel();
  }

  private schedule(share: number): void {
    const { scheduler, slot, inFlight } = this.parts;
    this.timer?.cancel();
    this.timer = scheduler.schedule(slot * share, () => void inFlight.add(this.run()));
  }

  private async run(): Promise<void> {
    let share = INTERVAL_SHARE;
    try {
      await this.beat();
    } catch (error) {
      if (!isPassing(error)) this.onFailed(error);
      share = RETRY_SHARE;
    }
    if (this.running) this.schedule(share);
  }
}
