/** What happens to bytes: `hold` keeps them until the network heals, as TCP does; `discard` throws them away. */
export type Fate = 'pass' | 'hold' | 'discard';

/** The state of one direction of the network, shared by all connections. */
export interface Weather {
  delay: number;
  fate: Fate;
}

/** One direction of one connection: carries steps (bytes, the end of the stream) in order, as the weather allows. */
export class ProxyDirection {
  /** Something was thrown away, so that the stream has a hole and must not go on. */
  hasHole = false;
  private readonly queue: { readonly due: number; readonly step: () => void }[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly weather: Weather) {}

  carry(step: () => void): void {
    if (this.weather.fate === 'discard') {
      this.hasHole = true;
      return;
    }
    this.queue.push({ due: performance.now() + this.weather.delay, step });
    this.drain();
  }

  /** Does what is due; called again by itself, and when the weather changed. */
  drain(): void {
    clearTimeout(this.timer);
    if (this.weather.fate === 'hold') return;
    for (let head = this.queue[0]; head !== undefined; head = this.queue[0]) {
      const wait = head.due - performance.now();
      if (wait > 0) {
        this.timer = setTimeout(() => this.drain(), Math.ceil(wait));
        return;
      }
      this.queue.shift();
      head.step();
    }
  }

  stop(): void {
    clearTimeout(this.timer);
    this.queue.length = 0;
  }
}
