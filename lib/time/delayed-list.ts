import { LinkedList, type ListNode } from '../linked-list.js';
import type { MonotonicScheduler, ScheduledTask } from './scheduler.js';

/** An entry, with the time of the scheduler at which it is due. */
type Delayed<P extends ListNode<P>> = ListNode<P> & { readonly due: number };

/** Entries that are due some time after they were added, unless they are taken out before. One timer serves all of them. */
export class DelayedList<P extends Delayed<P>> {
  private readonly entries = new LinkedList<P>();
  private timer: ScheduledTask | undefined;

  /** @param onDue Called with each entry that is due, which is no longer in the list. */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly onDue: (entry: P) => void,
  ) {}

  has(entry: P): boolean {
    return this.entries.has(entry);
  }

  /** Adds an entry that is due no sooner than those before it. */
  append(entry: P): void {
    this.entries.append(entry);
    this.timer ??= this.scheduler.schedule(entry.due - this.scheduler.now(), () => this.takeDue());
  }

  /** @returns Whether the entry was in the list. */
  delete(entry: P): boolean {
    return this.entries.delete(entry);
  }

  private takeDue(): void {
    this.timer = undefined;
    for (let { first } = this.entries; first; { first } = this.entries) {
      const left = first.due - this.scheduler.now();
      if (left > 0) {
        this.timer = this.scheduler.schedule(left, () => this.takeDue());
        return;
      }
      this.entries.delete(first);
      this.onDue(first);
    }
  }
}
