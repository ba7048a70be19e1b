import { ListNode } from '../collections/linked-list.js';
import type { WaitEnd, WaitWatch } from '../time/wait-limit.js';
import type { BackoffSequence } from './backoff.js';
import type { AcquireContext } from './wait-errors.js';

/** Where somebody waits. */
interface Queue<Wanted, Got> {
  /** Called by a waiter whose wait is over. */
  giveUp(waiter: Waiter<Wanted, Got>, end: WaitEnd): void;
}

/** Somebody who waits. There is one for everybody who waits, so it is one object, without functions of its own. */
export class Waiter<Wanted, Got> extends ListNode<Waiter<Wanted, Got>> {
  private readonly watching: WaitWatch;

  constructor(
    private readonly queue: Queue<Wanted, Got>,
    readonly asked: AcquireContext,
    readonly wanted: Wanted,
    readonly pace: BackoffSequence | undefined,
    private readonly resolve: (got: Got) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    super();
    this.watching = asked.limit.watch(this);
  }

  grant(got: Got): void {
    this.watching.stop();
    this.resolve(got);
  }

  refuse(error: unknown): void {
    this.watching.stop();
    this.reject(error);
  }

  onEnd(end: WaitEnd): void {
    this.queue.giveUp(this, end);
  }
}
