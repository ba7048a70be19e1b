import type { OwnerId } from '../../../context/owner-ids.js';
import type { HoldOutcome } from '../../lock-operations.js';
import type { MonotonicScheduler } from '../../../time/scheduler.js';
import { type DeadlineRequest, RedisOperations } from '../../commands/deadline-request.js';
import type { ScriptExecutor } from '../../commands/script-executor.js';
import { scripts } from '../../scripts/scripts.generated.js';
import { fairKeys } from '../fair-lock/fair-lock.js';
import { shortening } from './lock-scripts.js';
import type { RedisLock } from './redis-lock.js';

/** The kinds whose locks are one field on one server. */
type ExclusiveKind = 'plain' | 'fair' | 'fenced' | 'spin';

/** Request to make another owner the holder of an exclusive lock of this kind. */
export interface TakeOverRequest {
  readonly kind: ExclusiveKind;
  readonly name: string;
  /** The present holder. */
  readonly from: OwnerId;
  readonly to: OwnerId;
  /** Milliseconds for which `to` holds the lock from now. */
  readonly lease: number;
}

/** Steps after the reply, for a lock that was passed on, or may have been. */
type Aftermath = Pick<DeadlineRequest<never, never>, 'onUnknown'> & {
  readonly confirmed: (outcome: HoldOutcome) => HoldOutcome | Promise<HoldOutcome>;
};

/**
 * Passes exclusive locks on: plain, fair, fenced and spin locks have the same data.
 *
 * How a held lock passes from one owner to another one that the first has named. `lost`: neither holds the lock.
 */
export class RedisTakeOver extends RedisOperations {
  /** @param locks The locks of each kind, which release owners of theirs. */
  constructor(
    commands: ScriptExecutor,
    scheduler: MonotonicScheduler,
    private readonly locks: Readonly<Record<ExclusiveKind, RedisLock>>,
  ) {
    super(commands, scheduler);
  }

  /**
   * Leaves the lock to an owner that does not act under it, whatever the hold count was. If the outcome stays unknown, it
   * may hold the lock for its lease.
   * @throws LockUnavailableError
   */
  detach(request: TakeOverRequest): Promise<HoldOutcome> {
    return this.takeOver('detach', request, { confirmed: (outcome) => outcome });
  }

  /**
   * Makes `to` a holder that acts under the lock, on the same terms as an acquisition: a server that forgot the first owner
   * to whom it passed the lock would pass it to a second. If the outcome is unknown, or too few replicas have it, `to` is
   * released, in the background if need be.
   * @throws LockUnavailableError
   */
  attach(request: TakeOverRequest): Promise<HoldOutcome> {
    const { kind, name, to: owner, lease } = request;
    const lock = this.locks[kind];
    const acquired = { name, owner, lease, silent: kind === 'spin' };
    return this.takeOver('attach', request, {
      confirmed: (outcome) => lock.confirmed(acquired, outcome),
      onUnknown: (notAfter) => lock.disown({ ...acquired, notAfter }),
    });
  }

  private takeOver(
    how: 'detach' | 'attach',
    { kind, name, lease, ...owners }: TakeOverRequest,
    { confirmed, ...aftermath }: Aftermath,
  ): Promise<HoldOutcome> {
    return this.inTime({
      ...aftermath,
      key: name,
      deadline: this.deadline(lease),
      send: ({ notAfter, deadline }) => {
        const args = { ...owners, lease, notAfter, ...shortening(this.commands, name, kind === 'spin') };
        if (kind !== 'fair') return this.commands.run(scripts.lock[how], { lock: name }, args, deadline, name);
        return this.commands.run(scripts.fairLock[how], fairKeys(name), args, deadline, name);
      },
      read: ([outcome], sent): HoldOutcome | Promise<HoldOutcome> | undefined => {
        if (outcome === 'held') return confirmed({ outcome, sent });
        return outcome === 'lost' ? { outcome } : undefined;
      },
    });
  }
}
