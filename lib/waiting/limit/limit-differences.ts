import type { LimitUse } from '../../backend/lock-operations.js';
import type { LockEvents } from '../../events/lock-events.js';

/** Most differences that are remembered as told. */
const MOST_TOLD = 1000;

/** Reports callers of one name with different limits, once for each pair. */
export class LimitDifferences {
  private readonly told = new Set<string>();

  constructor(private readonly events: LockEvents) {}

  /** @param use How the limit was used at the time of the request. */
  compare(lockName: string, limit: number, { before }: Pick<LimitUse, 'before'>): void {
    if (before === 0 || before === limit) return;
    const difference = `${limit} ${before} ${lockName}`;
    if (this.told.has(difference)) return;
    if (this.told.size >= MOST_TOLD) this.told.clear();
    this.told.add(difference);
    this.events.emit({ type: 'limits-differ', lockName, limit, other: before });
  }
}
