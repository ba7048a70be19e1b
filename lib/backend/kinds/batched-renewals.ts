import type { Renewal, RenewOutcome } from '../lock-operations.js';
import type { MonotonicScheduler } from '../../time/scheduler.js';
import type { ScriptExecutor } from '../commands/script-executor.js';
import { isUnknown, RedisOperations } from '../commands/deadline-request.js';
import type { UnknownOutcomes } from '../commands/unknown-outcomes.js';
import { isTryAgain, unexpectedReply } from '../connection/reply-errors.js';
import type { LockScripts } from './lock/lock-scripts.js';
import { renewByShard, renewEach, tornApart } from './renew-by-shard.js';

/** Renews what owners hold, many by one command. */
export class BatchedRenewals extends RedisOperations {
  /** @param unknownOutcomes Is told of owners whose renewal may still take effect. */
  constructor(
    commands: ScriptExecutor,
    scheduler: MonotonicScheduler,
    private readonly scripts: Pick<LockScripts, 'keyOf' | 'renew'>,
    private readonly unknownOutcomes: UnknownOutcomes,
  ) {
    super(commands, scheduler);
  }

  /** Sends one command for each shard. */
  async renew(renewals: readonly Renewal[]): Promise<RenewOutcome> {
    const shardOf = ({ name }: Renewal): number => this.commands.shardOf(this.scripts.keyOf(name));
    return renewByShard(renewals, shardOf, (some) => this.renewTogether(some));
  }

  private async renewTogether(renewals: readonly Renewal[]): Promise<RenewOutcome> {
    const deadline = this.deadline(Math.min(...renewals.map(({ lease }) => lease)));
    const [{ name } = { name: '' }] = renewals;
    const asked = this.inTime({
      key: this.scripts.keyOf(name),
      name,
      deadline,
      send: (limits) => this.scripts.renew(renewals, limits),
      read: (reply, sent): RenewOutcome | undefined => {
        const [outcome, , ...held] = reply;
        if (outcome === 'late') return undefined;
        if (held.length !== renewals.length) throw unexpectedReply(reply);
        const torn = renewals.filter((_, index) => (held[index] ?? 0) < 0);
        const [first] = torn;
        if (!first) return { sent, held: held.map((flag) => flag === 1) };
        this.unknownOutcomes.add(
          torn.map(({ owner }) => owner),
          deadline,
        );
        return { sent, held: held.map((flag) => (flag < 0 ? undefined : flag === 1)), failure: tornApart(first.name) };
      },
    });
    return asked.catch((error: unknown) => {
      const owners = renewals.map(({ owner }) => owner);
      if (isUnknown(error)) this.unknownOutcomes.add(owners, deadline);
      // Leases that one command cannot renew, because some of the keys have moved, can be renewed one by one.
      if (renewals.length > 1 && isTryAgain(error)) return renewEach(renewals, (one) => this.renewTogether([one]));
      throw error;
    });
  }
}
