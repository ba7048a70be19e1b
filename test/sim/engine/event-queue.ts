/** An event that happens at an instant, unless it is cancelled before. */
export interface SimulatedEvent {
  readonly at: number;
  readonly run: () => void;
  cancelled: boolean;
}

interface Entry {
  readonly event: SimulatedEvent;
  /** Decides between events of the same instant. */
  readonly tie: number;
}

const isBefore = (a: Entry, b: Entry): boolean =>
  a.event.at < b.event.at || (a.event.at === b.event.at && a.tie < b.tie);

/** Events in the order of their instants: a binary heap. */
export class EventQueue {
  private readonly heap: Entry[] = [];

  get size(): number {
    return this.heap.length;
  }

  add(event: SimulatedEvent, tie: number): void {
    this.heap.push({ event, tie });
    this.rise(this.heap.length - 1);
  }

  /** Removes the earliest event that was not cancelled. */
  take(): SimulatedEvent | undefined {
    for (let first = this.removeFirst(); first; first = this.removeFirst()) {
      if (!first.event.cancelled) return first.event;
    }
    return undefined;
  }

  private removeFirst(): Entry | undefined {
    const [first] = this.heap;
    const last = this.heap.pop();
    if (first && last && this.heap.length > 0) {
      this.heap[0] = last;
      this.sink(0);
    }
    return first;
  }

  private rise(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.swapIfBefore(index, parent)) return;
      index = parent;
    }
  }

  private sink(from: number): void {
    let index = from;
    for (;;) {
      const left = 2 * index + 1;
      const [leftEntry, rightEntry] = [this.heap[left], this.heap[left + 1]];
      const child = leftEntry && rightEntry && isBefore(rightEntry, leftEntry) ? left + 1 : left;
      if (!this.swapIfBefore(child, index)) return;
      index = child;
    }
  }

  private swapIfBefore(index: number, other: number): boolean {
    const [one, two] = [this.heap[index], this.heap[other]];
    if (!one || !two || !isBefore(one, two)) return false;
    this.heap[index] = two;
    this.heap[other] = one;
    return true;
  }
}
