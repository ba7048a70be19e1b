import type { GrantChannel, WaitOutcome, WaitRequest } from '../../lib/backend/kinds/lock/granting-lock.js';
import type { WaitingEntry } from '../../lib/backend/lock-operations.js';
import { Stopwatch } from '../../lib/time/scheduler.js';
import { HeldLock, HeldRequests } from './held-requests.js';

/** The age of a grant of which most is over, as a share of its lease. */
const SPENT = 0.6;

/** The message of a grant: `<owner> <age as a share of the lease> <lease>`, or a text that nothing is known from. */
export const grantMessage = (owner: string, isSpent = false, lease = 1000): string =>
  `${owner} ${isSpent ? SPENT : 0} ${lease}`;

/** A lock that clients wait for, whose attempts the test answers. */
export class HeldGrantingLock extends HeldLock {
  readonly waits = new HeldRequests<WaitRequest, WaitOutcome>();
  onWithdrawn: (entry: WaitingEntry) => void = () => {};
  onAsked: (request: WaitRequest) => void = () => {};

  canWait(): boolean {
    return true;
  }

  grantChannel(name: string, clientId: string): GrantChannel {
    return {
      name: `${name}:${clientId}`,
      read: (message) => {
        const [, owner, age, text] = /^(\S+) ([\d.]+) (\d+)$/.exec(message) ?? [];
        if (owner === undefined) return undefined;
        const lease = Number(text);
        return { owner, lease, sent: new Stopwatch(this.scheduler, lease * Number(age)) };
      },
    };
  }

  entryOf(owner: string, lease: number): WaitingEntry {
    return { owner, lease, firstLease: Math.min(lease, 1000) };
  }

  wait(request: WaitRequest): Promise<WaitOutcome> {
    this.onAsked(request);
    return this.waits.send(request);
  }

  withdraw(_name: string, entry: WaitingEntry): void {
    this.onWithdrawn(entry);
  }
}
