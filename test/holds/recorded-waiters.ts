import type { ReleaseOutcome } from '../../lib/backend/lock-operations.js';
import type { HandOver } from '../../lib/waiting/acquirer.js';
import type { Acquired } from '../../lib/waiting/lock-attempts.js';

/** The waiters of a process, with a record of the calls to them. */
export class RecordedWaiters implements HandOver<Acquired> {
  readonly calls: (readonly unknown[])[] = [];

  constructor(private readonly accept = false) {}

  handOver(name: string, got: Acquired): boolean {
    this.calls.push(['handOver', name, got.owner]);
    return this.accept;
  }

  beforeRelease(name: string): undefined {
    this.calls.push(['beforeRelease', name]);
  }

  afterRelease(name: string, outcome: ReleaseOutcome | undefined): void {
    this.calls.push(['afterRelease', name, outcome]);
  }
}
