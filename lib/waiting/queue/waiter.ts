import { ListNode } from '../../linked-list.js';
import type { WaitEnd, WaitWatch } from '../../time/wait-limit.js';
import type { BackoffSequence } from '../backoff.js';
import type { AcquireContext } from '../acquirer.js';

interface Queue<Wanted, Got> {
  /** Called by a waiter whose wait is over. */
  onWaitEnded(waiter: Waiter<Wanted, Got>, end: WaitEnd): void;
}

/** One waiter in a {@link Queue}. There may be thousands, so each is a single object without closures of its own. */
export class Waiter<Wanted, Got> extends ListNode<Waiter<Wanted, Got>> {
  private watch: WaitWatch;

  constructor(
    private readonly queue: Queue<Wanted, Got>,
    readonly context: AcquireContext,
    readonly wanted: Wanted,
    readonly backoff: BackoffSequence | undefined,
    private readonly admit: (got: Got) => unknown,
    /** Rejects by a rejected promise: a function for that alone would be kept for every waiter. */
    private readonly resolve: (admitted: unknown) => void,
  ) {
    super();
    this.watch = context.limit.watch(this);
  }

  grant(got: Got): void {
    this.watch.stop();
    this.resolve(this.admit(got));
  }

  fail(reason: unknown): void {
    this.watch.stop();
    this.resolve(Promise.reject(reason));
  }

  /** Called when its time is over while its attempt decides: only an abort ends its wait before that. */
  watchAborts(): void {
    this.watch = this.context.limit.untimed.watch(this);
  }

  onEnd(end: WaitEnd): void {
    this.queue.onWaitEnded(this, end);
  }
}
