import type { HoldOutcome } from '../../lock-operations.js';
import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import type { ExclusiveKind, TakeOverOperations, TakeOverRequest } from '../../take-over-operations.js';
import type { DeadlineRequest } from '../commands/deadline-request.js';
import type { ScriptExecutor } from '../commands/script-executor.js';
import { scripts } from '../scripts/scripts.generated.js';
import { fairKeys } from './fair-lock.js';
import { shortening } from './lock-scripts.js';
import type { RedisLock } from './redis-lock.js';
import { RedisOperations } from './redis-operations.js';

/** What becomes of a lock that was passed on, or may have been. */
type Aftermath = Pick<DeadlineRequest<never, never>, 'onUnknown'> & {
  readonly confirmed: (outcome: HoldOutcome) => HoldOutcome | Promise<HoldOutcome>;
};

/** Passes exclusive locks on: plain, fair, fenced and spin locks have the same data. */
export class RedisTakeOver extends RedisOperations implements TakeOverOperations {
  /** @param locks The locks of each kind, which release owners of theirs. */
  constructor(
    commands: ScriptExecutor,
    scheduler: MonotonicScheduler,
    private readonly locks: Readonly<Record<ExclusiveKind, RedisLock>>,
  ) {
    super(commands, scheduler);
  }

  detach(request: TakeOverRequest): Promise<HoldOutcome> {
    return this.takeOver('detach', request, { confirmed: (outcome) => outcome });
  }

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
