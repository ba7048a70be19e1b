/** Treatment of bytes: `hold` keeps them until the network heals, as TCP does; `discard` loses them. */
export type Delivery = 'pass' | 'hold' | 'discard';

/** The state of one direction of the network, shared by all connections. */
export interface DirectionState {
  delay: number;
  delivery: Delivery;
}

/** One direction of one connection. Executes steps (bytes, the end of the stream) in order, as the state allows. */
export class ProxyDirection {
  /** Whether something was discarded, so that the stream has a hole and must not go on. */
  hasHole = false;
  private readonly queue: { readonly due: number; readonly step: () => void }[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly state: DirectionState) {}

  /** The number of steps that are to come. */
  get pending(): number {
    return this.queue.length;
  }

  carry(step: () => void): void {
    if (this.state.delivery === 'discard') {
      this.hasHole = true;
      return;
    }
    this.queue.push({ due: performance.now() + this.state.delay, step });
    this.drain();
  }

  /** Executes the steps that are due. Called by its own timer, and after a change of state. */
  drain(): void {
    clearTimeout(this.timer);
    if (this.state.delivery === 'hold') return;
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
